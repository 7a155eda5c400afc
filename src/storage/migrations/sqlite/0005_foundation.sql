-- Documents (`doc`) are protobuf messages in binary form; the columns beside them are what is
-- looked up. Times are microseconds since 1970. `revision` is taken from the project's counter.

-- What is made through the management interface has the same columns in front: `create_time` and
-- `update_time` are those of the document, 9000000000000000000 where it has none.

CREATE TABLE organization (
  id TEXT PRIMARY KEY,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  change_count INTEGER NOT NULL DEFAULT 0 -- where the revisions of what belongs to no project come from
) STRICT;

CREATE TABLE project (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organization (id),
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  change_count INTEGER NOT NULL DEFAULT 0 -- where the revisions of what belongs to the project come from
) STRICT;
CREATE INDEX project_by_organization ON project (organization_id, id);

CREATE TABLE account (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organization (id),
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL
) STRICT;
CREATE INDEX account_by_organization ON account (organization_id, id);

CREATE TABLE access_token (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  hash BLOB NOT NULL UNIQUE, -- SHA-256 of the token
  expire_time INTEGER NOT NULL,
  revoke_time INTEGER NOT NULL
) STRICT;
CREATE INDEX access_token_by_account ON access_token (account_id, id);

CREATE TABLE project_key (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  hash BLOB NOT NULL UNIQUE, -- SHA-256 of the key
  kind TEXT NOT NULL CHECK (kind IN ('public', 'preview'))
) STRICT;
CREATE INDEX project_key_by_project ON project_key (project_id, id);

-- The roles of organizations; those that every organization has are in roles.ts.
CREATE TABLE role (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organization (id),
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL
) STRICT;
CREATE INDEX role_by_organization ON role (organization_id, id);

CREATE TABLE binding (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organization (id),
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  account_id TEXT NOT NULL REFERENCES account (id),
  role_id TEXT NOT NULL, -- built in, or of the organization
  resource_type TEXT NOT NULL, -- the parts of the resource key
  resource_id TEXT NOT NULL,
  project_id TEXT NOT NULL -- empty: on the organization
) STRICT;
CREATE INDEX binding_by_organization ON binding (organization_id, id);
CREATE INDEX binding_by_resource ON binding (resource_type, resource_id);
CREATE INDEX binding_by_project ON binding (project_id) WHERE project_id <> '';
CREATE INDEX binding_by_account ON binding (account_id, id);
CREATE INDEX binding_by_role ON binding (role_id, id);

-- How far the counters of deleted organizations and projects had come, so that no revision comes back when
-- an id is made again.
CREATE TABLE retired_counter (
  type TEXT NOT NULL,
  id TEXT NOT NULL,
  change_count INTEGER NOT NULL,
  PRIMARY KEY (type, id)
) STRICT, WITHOUT ROWID;

-- Who refers to whom among documents; what content refers to is found in content_value. `project_id` is
-- that of the document that refers.
CREATE TABLE reference (
  from_type TEXT NOT NULL,
  from_id TEXT NOT NULL,
  to_type TEXT NOT NULL,
  to_id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  PRIMARY KEY (from_type, from_id, to_type, to_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX reference_to ON reference (to_type, to_id, project_id, from_type, from_id);
CREATE INDEX reference_by_project ON reference (project_id);

-- Answers to calls with a request_id, so that a repeated one is not carried out again. `answer` is sealed
-- with the access token that asked; only it can open it.
CREATE TABLE answered_request (
  account_id TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  request_id TEXT NOT NULL,
  request_hash BLOB NOT NULL,
  answer BLOB NOT NULL,
  expire_time INTEGER NOT NULL,
  PRIMARY KEY (account_id, request_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX answered_request_by_expire_time ON answered_request (expire_time);

-- Every write through the management interface.
CREATE TABLE audit_entry (
  organization_id TEXT NOT NULL, -- without a reference: entries outlive what they tell of
  time INTEGER NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  doc BLOB NOT NULL,
  PRIMARY KEY (organization_id, time DESC, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_entry_by_account ON audit_entry (organization_id, account_id, time DESC, id);
CREATE INDEX audit_entry_by_project ON audit_entry (organization_id, project_id, time DESC, id);

CREATE TABLE secret (
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- A collection is all content of one kind in one project; its number keeps the indexes small.
CREATE TABLE content_collection (
  collection INTEGER PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  kind TEXT NOT NULL CHECK (kind IN ('event', 'creative_work', 'entity')),
  UNIQUE (project_id, kind)
) STRICT;

-- An event, creative work or entity. `doc` is its JSON as delivery writes it. A time that is not set is
-- 9000000000000000000, so that it comes last. `sort_time` is the start or the release.
CREATE TABLE content (
  item INTEGER PRIMARY KEY,
  collection INTEGER NOT NULL REFERENCES content_collection (collection),
  kind TEXT NOT NULL,
  id TEXT NOT NULL,
  visibility INTEGER NOT NULL,
  sort_time INTEGER NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc TEXT NOT NULL,
  UNIQUE (kind, id)
) STRICT;
CREATE INDEX content_by_id ON content (collection, visibility, id);
CREATE INDEX content_by_time ON content (collection, visibility, sort_time, id);
CREATE INDEX content_by_time_desc ON content (collection, visibility, sort_time DESC, id);
CREATE INDEX content_by_create_time ON content (collection, visibility, create_time, id);
CREATE INDEX content_by_create_time_desc ON content (collection, visibility, create_time DESC, id);
CREATE INDEX content_by_update_time ON content (collection, visibility, update_time, id);
CREATE INDEX content_by_update_time_desc ON content (collection, visibility, update_time DESC, id);

-- Every path that a document of the collection has or had, as KQL names it.
CREATE TABLE content_path (
  path INTEGER PRIMARY KEY,
  collection INTEGER NOT NULL REFERENCES content_collection (collection),
  name TEXT NOT NULL,
  UNIQUE (collection, name)
) STRICT;

-- The scalars of a document, next to each other, so that a filter can be tried on one item. `key` is
-- the value with its kind in front (leaf-key.ts); `text` is its text where `key` does not show it.
-- `node` is the object that holds it.
CREATE TABLE content_leaf (
  item INTEGER NOT NULL,
  path INTEGER NOT NULL,
  node INTEGER NOT NULL,
  position INTEGER NOT NULL,
  key TEXT NOT NULL,
  text TEXT,
  PRIMARY KEY (item, path, node, position)
) STRICT, WITHOUT ROWID;

-- The objects inside a document: one and all below it are the nodes `node` to `node_last`.
CREATE TABLE content_node (
  item INTEGER NOT NULL,
  path INTEGER NOT NULL,
  node INTEGER NOT NULL,
  node_last INTEGER NOT NULL,
  PRIMARY KEY (item, path, node)
) STRICT, WITHOUT ROWID;

-- Which items have a value, in the collection's own order. `value` is the start of the key.
CREATE TABLE content_value (
  path INTEGER NOT NULL,
  visibility INTEGER NOT NULL,
  value TEXT NOT NULL,
  sort_time INTEGER NOT NULL,
  id TEXT NOT NULL,
  item INTEGER NOT NULL,
  PRIMARY KEY (path, visibility, value, sort_time, id)
) STRICT, WITHOUT ROWID;

-- The words of titles, descriptions and fields, folded as `toWords` does it; the row is the item.
-- `scope` is one word that stands for collection and visibility.
CREATE VIRTUAL TABLE content_search USING fts5 (
  scope, words, content = '', contentless_delete = 1
);

-- Every word that content has or had: what a search for the beginning of words looks for.
CREATE TABLE content_word (
  word TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TABLE video (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL
) STRICT;
CREATE INDEX video_by_project ON video (project_id, id);

CREATE TABLE annotation_type (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL
) STRICT;
CREATE INDEX annotation_type_by_project ON annotation_type (project_id, id);

CREATE TABLE annotation (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  visibility INTEGER NOT NULL,
  video_id TEXT NOT NULL, -- empty: none
  event_id TEXT NOT NULL, -- empty: none
  moment INTEGER NOT NULL, -- in microseconds; not set: 9000000000000000000
  sort_order INTEGER NOT NULL
) STRICT;
CREATE INDEX annotation_by_project ON annotation (project_id, id);

CREATE INDEX annotation_by_video ON annotation (project_id, video_id, visibility, moment, sort_order, id);
CREATE INDEX annotation_by_event ON annotation (project_id, event_id, visibility, moment, sort_order, id);

CREATE TABLE banner_collection (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  visibility INTEGER NOT NULL
) STRICT;
CREATE INDEX banner_collection_by_project ON banner_collection (project_id, id);

CREATE TABLE page (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  visibility INTEGER NOT NULL,
  slug TEXT NOT NULL,
  UNIQUE (project_id, slug)
) STRICT;
CREATE INDEX page_by_project ON page (project_id, id);

CREATE TABLE page_component (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  visibility INTEGER NOT NULL,
  page_id TEXT NOT NULL REFERENCES page (id),
  position INTEGER NOT NULL,
  group_id TEXT NOT NULL,
  is_filter INTEGER NOT NULL,
  UNIQUE (page_id, position)
) STRICT;
CREATE INDEX page_component_by_project ON page_component (project_id, id);

CREATE TABLE offer (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  visibility INTEGER NOT NULL,
  position INTEGER NOT NULL
) STRICT;
CREATE INDEX offer_by_project ON offer (project_id, id);
CREATE INDEX offer_by_position ON offer (project_id, visibility, position, id);

CREATE TABLE ruleset (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL
) STRICT;
CREATE INDEX ruleset_by_project ON ruleset (project_id, id);

CREATE TABLE sign_in_integration (
  project_id TEXT PRIMARY KEY REFERENCES project (id),
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL
) STRICT;

CREATE TABLE transaction_record (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  billing_transaction_id TEXT NOT NULL,
  is_revenue INTEGER NOT NULL, -- 1: captured, and no test
  currency_code TEXT NOT NULL,
  units INTEGER NOT NULL,
  nanos INTEGER NOT NULL
) STRICT;
CREATE INDEX transaction_record_by_project ON transaction_record (project_id, id);
CREATE INDEX transaction_record_by_time ON transaction_record (project_id, create_time DESC, id);
CREATE INDEX transaction_record_by_billing_id ON transaction_record (billing_transaction_id, project_id, create_time DESC, id);
CREATE INDEX transaction_record_revenue ON transaction_record (project_id, is_revenue, currency_code, units, nanos);
-- When captured transactions give their users access, `id` being that of the transaction, and what is given
-- away. What the offer opens is read from the offer.
CREATE TABLE entitlement (
  project_id TEXT NOT NULL REFERENCES project (id),
  user_id TEXT NOT NULL,
  start_time INTEGER NOT NULL,
  id TEXT NOT NULL UNIQUE,
  end_time INTEGER NOT NULL, -- never: 9000000000000000000
  offer_id TEXT NOT NULL,
  is_granted INTEGER NOT NULL, -- 1: given away, 0: by the transaction
  revision INTEGER NOT NULL,
  PRIMARY KEY (project_id, user_id, start_time DESC, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX entitlement_by_end ON entitlement (project_id, user_id, end_time, offer_id);
CREATE INDEX entitlement_by_project ON entitlement (project_id, id);
CREATE INDEX entitlement_by_user ON entitlement (project_id, user_id, id);
CREATE INDEX entitlement_by_start ON entitlement (project_id, start_time, id);
CREATE INDEX entitlement_by_offer ON entitlement (project_id, offer_id, id);

-- The key pairs of viewer tokens. The one that signs has its private key; a retired one keeps only
-- what its tokens are checked with.

CREATE TABLE viewer_token_key (
  id TEXT PRIMARY KEY, -- the `kid` of its tokens
  public_key BLOB NOT NULL,
  private_key BLOB, -- null: retired
  create_time INTEGER NOT NULL,
  retire_time INTEGER, -- null: it signs
  CHECK ((private_key IS NULL) = (retire_time IS NOT NULL))
) STRICT;

-- At most one signs.
CREATE UNIQUE INDEX viewer_token_key_signing ON viewer_token_key ((retire_time IS NULL))
  WHERE retire_time IS NULL;
