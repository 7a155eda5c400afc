-- Processes of the release before: must stop, which do not know the new keys of tables
-- Ids belong to an organization: the same one may be taken in another. Those of organizations and projects
-- stay unique in the installation, and so do those of runs, which nobody chooses. Every other table of
-- resources is made anew with the organization in front of its key; all rows and revisions are kept.

-- What lies in a project refers to it with its organization, so that the two cannot disagree.
DROP INDEX project_by_organization;
CREATE UNIQUE INDEX project_by_organization ON project (organization_id, id);

CREATE TABLE new_account (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id)
) STRICT;
INSERT INTO new_account (organization_id, id, create_time, update_time, revision, doc)
SELECT organization_id, id, create_time, update_time, revision, doc FROM account;
DROP TABLE account;
ALTER TABLE new_account RENAME TO account;

CREATE TABLE new_role (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id)
) STRICT;
INSERT INTO new_role (organization_id, id, create_time, update_time, revision, doc)
SELECT organization_id, id, create_time, update_time, revision, doc FROM role;
DROP TABLE role;
ALTER TABLE new_role RENAME TO role;

CREATE TABLE new_access_token (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  hash BLOB NOT NULL UNIQUE, -- SHA-256 of the token
  expire_time INTEGER NOT NULL,
  revoke_time INTEGER NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, account_id) REFERENCES account (organization_id, id)
) STRICT;
INSERT INTO new_access_token (organization_id, id, account_id, create_time, update_time, revision, doc, hash, expire_time, revoke_time)
SELECT account.organization_id, it.id, it.account_id, it.create_time, it.update_time, it.revision, it.doc, it.hash, it.expire_time, it.revoke_time
FROM access_token AS it JOIN account ON account.id = it.account_id;
DROP TABLE access_token;
ALTER TABLE new_access_token RENAME TO access_token;
CREATE INDEX access_token_by_account ON access_token (organization_id, account_id, id);

-- A binding of an account of another organization says so in its message too: field 7,
-- `account_organization_id`.
CREATE TABLE new_binding (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  account_organization_id TEXT NOT NULL, -- where the account lies: who makes an organization owns it from outside
  account_id TEXT NOT NULL,
  role_id TEXT NOT NULL, -- built in, or of the organization
  resource_type TEXT NOT NULL, -- the parts of the resource key
  resource_id TEXT NOT NULL,
  project_id TEXT NOT NULL, -- empty: on the organization
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id),
  FOREIGN KEY (account_organization_id, account_id) REFERENCES account (organization_id, id)
) STRICT;
INSERT INTO new_binding (organization_id, id, create_time, update_time, revision, doc, account_organization_id, account_id, role_id, resource_type, resource_id, project_id)
SELECT
  it.organization_id,
  it.id,
  it.create_time,
  it.update_time,
  it.revision,
  CASE account.organization_id
    WHEN it.organization_id THEN it.doc
    ELSE CAST(it.doc || x'3a' || char(length(CAST(account.organization_id AS BLOB))) || account.organization_id AS BLOB)
  END,
  account.organization_id,
  it.account_id,
  it.role_id,
  it.resource_type,
  it.resource_id,
  it.project_id
FROM binding AS it JOIN account ON account.id = it.account_id;
DROP TABLE binding;
ALTER TABLE new_binding RENAME TO binding;
CREATE INDEX binding_by_resource ON binding (organization_id, resource_type, resource_id);
CREATE INDEX binding_by_project ON binding (project_id) WHERE project_id <> '';
CREATE INDEX binding_by_account ON binding (account_organization_id, account_id, organization_id, id);
CREATE INDEX binding_by_role ON binding (organization_id, role_id, id);

CREATE TABLE new_project_key (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  hash BLOB NOT NULL UNIQUE, -- SHA-256 of the key
  kind TEXT NOT NULL CHECK (kind IN ('public', 'preview')),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id)
) STRICT;
INSERT INTO new_project_key (organization_id, id, project_id, create_time, update_time, revision, doc, hash, kind)
SELECT project.organization_id, it.id, it.project_id, it.create_time, it.update_time, it.revision, it.doc, it.hash, it.kind
FROM project_key AS it JOIN project ON project.id = it.project_id;
DROP TABLE project_key;
ALTER TABLE new_project_key RENAME TO project_key;
CREATE INDEX project_key_by_project ON project_key (project_id, id);

CREATE TABLE new_video (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id)
) STRICT;
INSERT INTO new_video (organization_id, id, project_id, create_time, update_time, revision, doc)
SELECT project.organization_id, it.id, it.project_id, it.create_time, it.update_time, it.revision, it.doc
FROM video AS it JOIN project ON project.id = it.project_id;
DROP TABLE video;
ALTER TABLE new_video RENAME TO video;
CREATE INDEX video_by_project ON video (project_id, id);

CREATE TABLE new_annotation_type (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id)
) STRICT;
INSERT INTO new_annotation_type (organization_id, id, project_id, create_time, update_time, revision, doc)
SELECT project.organization_id, it.id, it.project_id, it.create_time, it.update_time, it.revision, it.doc
FROM annotation_type AS it JOIN project ON project.id = it.project_id;
DROP TABLE annotation_type;
ALTER TABLE new_annotation_type RENAME TO annotation_type;
CREATE INDEX annotation_type_by_project ON annotation_type (project_id, id);

CREATE TABLE new_annotation (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  visibility INTEGER NOT NULL,
  video_id TEXT NOT NULL, -- empty: none
  event_id TEXT NOT NULL, -- empty: none
  moment INTEGER NOT NULL, -- in microseconds; not set: 9000000000000000000
  sort_order INTEGER NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id)
) STRICT;
INSERT INTO new_annotation (organization_id, id, project_id, create_time, update_time, revision, doc, visibility, video_id, event_id, moment, sort_order)
SELECT project.organization_id, it.id, it.project_id, it.create_time, it.update_time, it.revision, it.doc, it.visibility, it.video_id, it.event_id, it.moment, it.sort_order
FROM annotation AS it JOIN project ON project.id = it.project_id;
DROP TABLE annotation;
ALTER TABLE new_annotation RENAME TO annotation;
CREATE INDEX annotation_by_project ON annotation (project_id, id);
CREATE INDEX annotation_by_video ON annotation (project_id, video_id, visibility, moment, sort_order, id);
CREATE INDEX annotation_by_event ON annotation (project_id, event_id, visibility, moment, sort_order, id);

CREATE TABLE new_banner_collection (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  visibility INTEGER NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id)
) STRICT;
INSERT INTO new_banner_collection (organization_id, id, project_id, create_time, update_time, revision, doc, visibility)
SELECT project.organization_id, it.id, it.project_id, it.create_time, it.update_time, it.revision, it.doc, it.visibility
FROM banner_collection AS it JOIN project ON project.id = it.project_id;
DROP TABLE banner_collection;
ALTER TABLE new_banner_collection RENAME TO banner_collection;
CREATE INDEX banner_collection_by_project ON banner_collection (project_id, id);

CREATE TABLE new_page (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  visibility INTEGER NOT NULL,
  slug TEXT NOT NULL,
  PRIMARY KEY (organization_id, id),
  UNIQUE (project_id, slug),
  FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id)
) STRICT;
INSERT INTO new_page (organization_id, id, project_id, create_time, update_time, revision, doc, visibility, slug)
SELECT project.organization_id, it.id, it.project_id, it.create_time, it.update_time, it.revision, it.doc, it.visibility, it.slug
FROM page AS it JOIN project ON project.id = it.project_id;
DROP TABLE page;
ALTER TABLE new_page RENAME TO page;
CREATE INDEX page_by_project ON page (project_id, id);

CREATE TABLE new_offer (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  visibility INTEGER NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id)
) STRICT;
INSERT INTO new_offer (organization_id, id, project_id, create_time, update_time, revision, doc, visibility, position)
SELECT project.organization_id, it.id, it.project_id, it.create_time, it.update_time, it.revision, it.doc, it.visibility, it.position
FROM offer AS it JOIN project ON project.id = it.project_id;
DROP TABLE offer;
ALTER TABLE new_offer RENAME TO offer;
CREATE INDEX offer_by_project ON offer (project_id, id);
CREATE INDEX offer_by_position ON offer (project_id, visibility, position, id);

CREATE TABLE new_ruleset (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id)
) STRICT;
INSERT INTO new_ruleset (organization_id, id, project_id, create_time, update_time, revision, doc)
SELECT project.organization_id, it.id, it.project_id, it.create_time, it.update_time, it.revision, it.doc
FROM ruleset AS it JOIN project ON project.id = it.project_id;
DROP TABLE ruleset;
ALTER TABLE new_ruleset RENAME TO ruleset;
CREATE INDEX ruleset_by_project ON ruleset (project_id, id);

CREATE TABLE new_transaction_record (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  billing_transaction_id TEXT NOT NULL,
  is_revenue INTEGER NOT NULL, -- 1: captured, and no test
  currency_code TEXT NOT NULL,
  units INTEGER NOT NULL,
  nanos INTEGER NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id)
) STRICT;
INSERT INTO new_transaction_record (organization_id, id, project_id, create_time, update_time, revision, doc, billing_transaction_id, is_revenue, currency_code, units, nanos)
SELECT project.organization_id, it.id, it.project_id, it.create_time, it.update_time, it.revision, it.doc, it.billing_transaction_id, it.is_revenue, it.currency_code, it.units, it.nanos
FROM transaction_record AS it JOIN project ON project.id = it.project_id;
DROP TABLE transaction_record;
ALTER TABLE new_transaction_record RENAME TO transaction_record;
CREATE INDEX transaction_record_by_project ON transaction_record (project_id, id);
CREATE INDEX transaction_record_by_time ON transaction_record (project_id, create_time DESC, id);
CREATE INDEX transaction_record_by_billing_id ON transaction_record (billing_transaction_id, project_id, create_time DESC, id);
CREATE INDEX transaction_record_revenue ON transaction_record (project_id, is_revenue, currency_code, units, nanos);

CREATE TABLE new_action (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  secret TEXT NOT NULL, -- signs what the action sends
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id)
) STRICT;
INSERT INTO new_action (organization_id, id, project_id, create_time, update_time, revision, doc, secret)
SELECT project.organization_id, it.id, it.project_id, it.create_time, it.update_time, it.revision, it.doc, it.secret
FROM action AS it JOIN project ON project.id = it.project_id;
DROP TABLE action;
ALTER TABLE new_action RENAME TO action;
CREATE INDEX action_by_project ON action (project_id, id);

CREATE TABLE new_page_component (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  visibility INTEGER NOT NULL,
  page_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  group_id TEXT NOT NULL,
  is_filter INTEGER NOT NULL,
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, page_id, position),
  FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id),
  FOREIGN KEY (organization_id, page_id) REFERENCES page (organization_id, id)
) STRICT;
INSERT INTO new_page_component (organization_id, id, project_id, create_time, update_time, revision, doc, visibility, page_id, position, group_id, is_filter)
SELECT project.organization_id, it.id, it.project_id, it.create_time, it.update_time, it.revision, it.doc, it.visibility, it.page_id, it.position, it.group_id, it.is_filter
FROM page_component AS it JOIN project ON project.id = it.project_id;
DROP TABLE page_component;
ALTER TABLE new_page_component RENAME TO page_component;
CREATE INDEX page_component_by_project ON page_component (project_id, id);

CREATE TABLE new_entitlement (
  organization_id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  start_time INTEGER NOT NULL,
  id TEXT NOT NULL,
  end_time INTEGER NOT NULL, -- never: 9000000000000000000
  offer_id TEXT NOT NULL,
  is_granted INTEGER NOT NULL, -- 1: given away, 0: by the transaction
  revision INTEGER NOT NULL,
  PRIMARY KEY (project_id, user_id, start_time DESC, id),
  UNIQUE (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id)
) STRICT, WITHOUT ROWID;
INSERT INTO new_entitlement (organization_id, project_id, user_id, start_time, id, end_time, offer_id, is_granted, revision)
SELECT project.organization_id, it.project_id, it.user_id, it.start_time, it.id, it.end_time, it.offer_id, it.is_granted, it.revision
FROM entitlement AS it JOIN project ON project.id = it.project_id;
DROP TABLE entitlement;
ALTER TABLE new_entitlement RENAME TO entitlement;
CREATE INDEX entitlement_by_end ON entitlement (project_id, user_id, end_time, offer_id);
CREATE INDEX entitlement_by_project ON entitlement (project_id, id);
CREATE INDEX entitlement_by_user ON entitlement (project_id, user_id, id);
CREATE INDEX entitlement_by_start ON entitlement (project_id, start_time, id);
CREATE INDEX entitlement_by_offer ON entitlement (project_id, offer_id, id);

-- The references of a project lie together.
CREATE TABLE new_reference (
  project_id TEXT NOT NULL,
  from_type TEXT NOT NULL,
  from_id TEXT NOT NULL,
  to_type TEXT NOT NULL,
  to_id TEXT NOT NULL,
  PRIMARY KEY (project_id, from_type, from_id, to_type, to_id)
) STRICT, WITHOUT ROWID;
INSERT INTO new_reference (project_id, from_type, from_id, to_type, to_id)
SELECT project_id, from_type, from_id, to_type, to_id FROM reference;
DROP TABLE reference;
ALTER TABLE new_reference RENAME TO reference;
CREATE INDEX reference_to ON reference (project_id, to_type, to_id, from_type, from_id);

CREATE TABLE new_answered_request (
  organization_id TEXT NOT NULL, -- the account's
  account_id TEXT NOT NULL,
  request_id TEXT NOT NULL,
  request_hash BLOB NOT NULL,
  answer BLOB NOT NULL,
  expire_time INTEGER NOT NULL,
  PRIMARY KEY (organization_id, account_id, request_id),
  FOREIGN KEY (organization_id, account_id) REFERENCES account (organization_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
INSERT INTO new_answered_request (organization_id, account_id, request_id, request_hash, answer, expire_time)
SELECT account.organization_id, it.account_id, it.request_id, it.request_hash, it.answer, it.expire_time
FROM answered_request AS it JOIN account ON account.id = it.account_id;
DROP TABLE answered_request;
ALTER TABLE new_answered_request RENAME TO answered_request;
CREATE INDEX answered_request_by_expire_time ON answered_request (expire_time);

CREATE TABLE new_content (
  item INTEGER PRIMARY KEY,
  organization_id TEXT NOT NULL,
  collection INTEGER NOT NULL REFERENCES content_collection (collection),
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  visibility INTEGER NOT NULL,
  sort_time INTEGER NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc TEXT NOT NULL,
  UNIQUE (organization_id, kind, id)
) STRICT;
INSERT INTO new_content (item, organization_id, collection, kind, id, visibility, sort_time, create_time, update_time, revision, doc)
SELECT it.item, project.organization_id, it.collection, it.kind, it.id, it.visibility, it.sort_time, it.create_time, it.update_time, it.revision, it.doc
FROM content AS it
JOIN content_collection ON content_collection.collection = it.collection
JOIN project ON project.id = content_collection.project_id;
DROP TABLE content;
ALTER TABLE new_content RENAME TO content;
CREATE INDEX content_by_id ON content (collection, visibility, id);
CREATE INDEX content_by_time ON content (collection, visibility, sort_time, id);
CREATE INDEX content_by_time_desc ON content (collection, visibility, sort_time DESC, id);
CREATE INDEX content_by_create_time ON content (collection, visibility, create_time, id);
CREATE INDEX content_by_create_time_desc ON content (collection, visibility, create_time DESC, id);
CREATE INDEX content_by_update_time ON content (collection, visibility, update_time, id);
CREATE INDEX content_by_update_time_desc ON content (collection, visibility, update_time DESC, id);
