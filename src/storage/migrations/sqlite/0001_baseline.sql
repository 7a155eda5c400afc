-- Documents (`doc`) are protobuf messages in binary form, documents of content JSON; the other columns are for
-- lookups. Times are microseconds since 1970. `revision` is taken from the project's counter.

-- Resources of the Studio API begin with the same columns. `create_time` and `update_time` are the times of the
-- document, 9000000000000000000 if it has none.

-- Ids belong to an organization: another organization may use the same id. Ids of organizations, projects and runs are
-- unique in the installation; ids of runs are generated. Resources of a project refer to it together with its
-- organization, so that the two cannot disagree.

-- `item_count` to `account_count` are the usage of an organization or project, the quotas are from its message (0: no
-- limit). An item is a resource that counts toward a quota by `KINDS`; bytes are the sizes of the documents of items.
-- Items and bytes of an organization are the sums of its projects. Data that outlives an organization or project
-- refers to its `uid`: random, created with it, and never reused, not even for a later one with the same id.
CREATE TABLE organization (
  id TEXT PRIMARY KEY,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  change_count INTEGER NOT NULL DEFAULT 0, -- the source of revisions outside of projects
  uid TEXT NOT NULL DEFAULT '',
  project_count INTEGER NOT NULL DEFAULT 0,
  account_count INTEGER NOT NULL DEFAULT 0,
  project_quota INTEGER NOT NULL DEFAULT 0,
  account_quota INTEGER NOT NULL DEFAULT 0,
  item_quota INTEGER NOT NULL DEFAULT 0,
  byte_quota INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE project (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organization (id),
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  change_count INTEGER NOT NULL DEFAULT 0, -- the source of revisions in the project
  uid TEXT NOT NULL DEFAULT '',
  item_count INTEGER NOT NULL DEFAULT 0,
  byte_count INTEGER NOT NULL DEFAULT 0,
  key_count INTEGER NOT NULL DEFAULT 0,
  item_quota INTEGER NOT NULL DEFAULT 0,
  byte_quota INTEGER NOT NULL DEFAULT 0,
  key_quota INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX project_by_organization ON project (organization_id, id);

-- The last counters of deleted organizations and projects, so that no revision repeats when an id is used again. `uid`
-- is the uid of the last one with the id.
CREATE TABLE retired_counter (
  type TEXT NOT NULL,
  id TEXT NOT NULL,
  change_count INTEGER NOT NULL,
  uid TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (type, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE account (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id)
) STRICT;

CREATE TABLE access_token (
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
CREATE INDEX access_token_by_account ON access_token (organization_id, account_id, id);

CREATE TABLE project_key (
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
CREATE INDEX project_key_by_project ON project_key (project_id, id);

-- The roles of organizations; the built-in roles are in roles.ts.
CREATE TABLE role (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id)
) STRICT;

CREATE TABLE binding (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  account_organization_id TEXT NOT NULL, -- the organization of the account: the creator of an organization owns it from outside
  account_id TEXT NOT NULL,
  role_id TEXT NOT NULL, -- built in, or of the organization
  resource_type TEXT NOT NULL, -- the parts of the resource key
  resource_id TEXT NOT NULL,
  project_id TEXT NOT NULL, -- empty: on the organization
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id) REFERENCES organization (id),
  FOREIGN KEY (account_organization_id, account_id) REFERENCES account (organization_id, id)
) STRICT;
CREATE INDEX binding_by_resource ON binding (organization_id, resource_type, resource_id);
CREATE INDEX binding_by_project ON binding (project_id) WHERE project_id <> '';
CREATE INDEX binding_by_account ON binding (account_organization_id, account_id, organization_id, id);
CREATE INDEX binding_by_role ON binding (organization_id, role_id, id);

-- The references between documents; references of content are in content_value. `project_id` is the project of the
-- referring document, so that the references of a project are contiguous.
CREATE TABLE reference (
  project_id TEXT NOT NULL,
  from_type TEXT NOT NULL,
  from_id TEXT NOT NULL,
  to_type TEXT NOT NULL,
  to_id TEXT NOT NULL,
  PRIMARY KEY (project_id, from_type, from_id, to_type, to_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX reference_to ON reference (project_id, to_type, to_id, from_type, from_id);

-- Responses to calls with a request_id, so that a repeated call is not executed again. `answer` is the response,
-- encrypted with the caller's access token; only that token can decrypt it.
CREATE TABLE answered_request (
  organization_id TEXT NOT NULL, -- the account's
  account_id TEXT NOT NULL,
  request_id TEXT NOT NULL,
  request_hash BLOB NOT NULL,
  answer BLOB NOT NULL,
  expire_time INTEGER NOT NULL,
  PRIMARY KEY (organization_id, account_id, request_id),
  FOREIGN KEY (organization_id, account_id) REFERENCES account (organization_id, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
CREATE INDEX answered_request_by_expire_time ON answered_request (expire_time);

-- Every write through the Studio API.
CREATE TABLE audit_entry (
  organization_uid TEXT NOT NULL, -- without a reference, because entries outlive their resources
  time INTEGER NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  doc BLOB NOT NULL,
  PRIMARY KEY (organization_uid, time DESC, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_entry_by_account ON audit_entry (organization_uid, account_id, time DESC, id);
CREATE INDEX audit_entry_by_project ON audit_entry (organization_uid, project_id, time DESC, id);

CREATE TABLE secret (
  name TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- A collection is all content of one kind in one project; its number keeps the indexes small. Lists size their
-- statements by the most values and characters that an item of the collection has or had.
CREATE TABLE content_collection (
  collection INTEGER PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  kind TEXT NOT NULL CHECK (kind IN ('event', 'creative_work', 'entity')),
  most_values INTEGER NOT NULL DEFAULT 0,
  most_characters INTEGER NOT NULL DEFAULT 0,
  UNIQUE (project_id, kind)
) STRICT;

-- An event, creative work or entity. `doc` is its JSON as the Delivery API returns it. An unset time is
-- 9000000000000000000, so that it comes last. `sort_time` is the start or the release.
CREATE TABLE content (
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
CREATE INDEX content_by_id ON content (collection, visibility, id);
CREATE INDEX content_by_time ON content (collection, visibility, sort_time, id);
CREATE INDEX content_by_time_desc ON content (collection, visibility, sort_time DESC, id);
CREATE INDEX content_by_create_time ON content (collection, visibility, create_time, id);
CREATE INDEX content_by_create_time_desc ON content (collection, visibility, create_time DESC, id);
CREATE INDEX content_by_update_time ON content (collection, visibility, update_time, id);
CREATE INDEX content_by_update_time_desc ON content (collection, visibility, update_time DESC, id);

-- Every path that a document of the collection has or had, as written in KQL.
CREATE TABLE content_path (
  path INTEGER PRIMARY KEY,
  collection INTEGER NOT NULL REFERENCES content_collection (collection),
  name TEXT NOT NULL,
  UNIQUE (collection, name)
) STRICT;

-- The scalars of a document, contiguous, so that a filter can be tested on one item. `key` is the value after the
-- letter of its kind (leaf-key.ts); `text` is its text if `key` does not show it.
CREATE TABLE content_leaf (
  item INTEGER NOT NULL,
  path INTEGER NOT NULL,
  position INTEGER NOT NULL,
  key TEXT NOT NULL,
  text TEXT,
  PRIMARY KEY (item, path, position)
) STRICT, WITHOUT ROWID;

-- The items of each value, in the collection's default order. `value` is the start of the key.
CREATE TABLE content_value (
  path INTEGER NOT NULL,
  visibility INTEGER NOT NULL,
  value TEXT NOT NULL,
  sort_time INTEGER NOT NULL,
  id TEXT NOT NULL,
  item INTEGER NOT NULL,
  PRIMARY KEY (path, visibility, value, sort_time, id)
) STRICT, WITHOUT ROWID;

-- The words of titles, descriptions and fields, folded by `toWords`. The words of an item are contiguous, so that a
-- word can be looked up in one item; the index has the words of a partition.
CREATE TABLE content_word (
  item INTEGER NOT NULL,
  word TEXT NOT NULL,
  collection INTEGER NOT NULL,
  visibility INTEGER NOT NULL,
  PRIMARY KEY (item, word)
) STRICT, WITHOUT ROWID;
CREATE INDEX content_word_by_word ON content_word (collection, visibility, word);

CREATE TABLE video (
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
CREATE INDEX video_by_project ON video (project_id, id);

CREATE TABLE annotation_type (
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
CREATE INDEX annotation_type_by_project ON annotation_type (project_id, id);

CREATE TABLE annotation (
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
CREATE INDEX annotation_by_project ON annotation (project_id, id);
CREATE INDEX annotation_by_video ON annotation (project_id, video_id, visibility, moment, sort_order, id);
CREATE INDEX annotation_by_event ON annotation (project_id, event_id, visibility, moment, sort_order, id);

CREATE TABLE banner_collection (
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
CREATE INDEX banner_collection_by_project ON banner_collection (project_id, id);

CREATE TABLE page (
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
CREATE INDEX page_by_project ON page (project_id, id);

CREATE TABLE page_component (
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
CREATE INDEX page_component_by_project ON page_component (project_id, id);

CREATE TABLE offer (
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
CREATE INDEX offer_by_project ON offer (project_id, id);
CREATE INDEX offer_by_position ON offer (project_id, visibility, position, id);

CREATE TABLE ruleset (
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
CREATE INDEX ruleset_by_project ON ruleset (project_id, id);

CREATE TABLE sign_in_integration (
  project_id TEXT PRIMARY KEY REFERENCES project (id),
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL
) STRICT;

CREATE TABLE transaction_record (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  billing_transaction_id TEXT NOT NULL,
  is_revenue INTEGER NOT NULL, -- 1: captured, and not a test
  currency_code TEXT NOT NULL,
  units INTEGER NOT NULL,
  nanos INTEGER NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id)
) STRICT;
CREATE INDEX transaction_record_by_project ON transaction_record (project_id, id);
CREATE INDEX transaction_record_by_time ON transaction_record (project_id, create_time DESC, id);
CREATE INDEX transaction_record_by_billing_id ON transaction_record (billing_transaction_id, project_id, create_time DESC, id);
CREATE INDEX transaction_record_revenue ON transaction_record (project_id, is_revenue, currency_code, units, nanos);

-- The access of users through captured transactions, with the transaction's `id`, and through grants. The scope is
-- read from the offer.
CREATE TABLE entitlement (
  organization_id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  start_time INTEGER NOT NULL,
  id TEXT NOT NULL,
  end_time INTEGER NOT NULL, -- never: 9000000000000000000
  offer_id TEXT NOT NULL,
  is_granted INTEGER NOT NULL, -- 1: granted, 0: by the transaction
  revision INTEGER NOT NULL,
  PRIMARY KEY (project_id, user_id, start_time DESC, id),
  UNIQUE (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX entitlement_by_end ON entitlement (project_id, user_id, end_time, offer_id);
CREATE INDEX entitlement_by_project ON entitlement (project_id, id);
CREATE INDEX entitlement_by_user ON entitlement (project_id, user_id, id);
CREATE INDEX entitlement_by_start ON entitlement (project_id, start_time, id);
CREATE INDEX entitlement_by_offer ON entitlement (project_id, offer_id, id);

-- The key pairs of viewer tokens. The signing key has its private key; a retired key has only the public part, to
-- verify its tokens. At most one key signs.
CREATE TABLE viewer_token_key (
  id TEXT PRIMARY KEY, -- the `kid` of its tokens
  public_key BLOB NOT NULL,
  private_key BLOB, -- null: retired
  create_time INTEGER NOT NULL,
  retire_time INTEGER, -- null: signing
  CHECK ((private_key IS NULL) = (retire_time IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX viewer_token_key_signing ON viewer_token_key ((retire_time IS NULL))
  WHERE retire_time IS NULL;

-- The signing secrets of the billing provider of a project.
CREATE TABLE billing_integration (
  project_id TEXT PRIMARY KEY REFERENCES project (id),
  revision INTEGER NOT NULL,
  secret TEXT NOT NULL,
  secret_create_time INTEGER NOT NULL,
  previous_secret TEXT, -- null: none
  previous_expire_time INTEGER,
  CHECK ((previous_secret IS NULL) = (previous_expire_time IS NULL))
) STRICT;

CREATE TABLE action (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  secret TEXT NOT NULL, -- signs the requests of the action
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id)
) STRICT;
CREATE INDEX action_by_project ON action (project_id, id);

-- Webhooks announce changes of a project's content.
CREATE TABLE webhook (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  secret TEXT NOT NULL, -- signs the requests of the webhook
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id)
) STRICT;
CREATE INDEX webhook_by_project ON webhook (project_id, id);

-- The outbox of actions and webhooks: written together with the change that it announces, sent by the process with the
-- lease. The `action_id` of a run of a webhook is `webhook:` and its id; ids of actions have no colon.
CREATE TABLE action_run (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  annotation_id TEXT NOT NULL,
  action_id TEXT NOT NULL,
  state INTEGER NOT NULL,
  due_time INTEGER NOT NULL, -- the next attempt, or the end of the lease; not to be sent: 9000000000000000000
  lease TEXT NOT NULL, -- empty: no worker
  first_attempt_time INTEGER NOT NULL, -- not sent yet: 9000000000000000000
  payload TEXT NOT NULL -- JSON: the body to send; empty: it cannot be sent
) STRICT;
CREATE INDEX action_run_by_project ON action_run (project_id, create_time DESC, id);
CREATE INDEX action_run_by_annotation ON action_run (project_id, annotation_id, create_time DESC, id);
CREATE INDEX action_run_by_action ON action_run (project_id, action_id, create_time DESC, id);
CREATE INDEX action_run_due ON action_run (due_time) WHERE due_time < 9000000000000000000;
CREATE INDEX action_run_ended ON action_run (update_time) WHERE due_time = 9000000000000000000;
CREATE INDEX action_run_next ON action_run (project_id, action_id, due_time)
  WHERE due_time < 9000000000000000000;
CREATE INDEX action_run_by_lease ON action_run (lease) WHERE lease <> '';

-- The order of sending: organizations take turns, in each its projects, in each its actions. Each has a row while one
-- of its runs waits.
CREATE TABLE action_turn (
  level TEXT NOT NULL CHECK (level IN ('organization', 'project', 'action')),
  parent_id TEXT NOT NULL, -- the project of an action, the organization of a project; empty: none
  id TEXT NOT NULL,
  turn INTEGER NOT NULL, -- when its first run is due or its lease ends; if that is past, its last turn
  PRIMARY KEY (level, parent_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX action_turn_next ON action_turn (level, parent_id, turn, id);

-- The last change of each project, with a NULL `revision` once it is deleted, and of the installation's keys,
-- credentials, roles and webhooks (`project_id` empty). `number` grows with every change, so that other processes find
-- the changes since their last look.
CREATE TABLE change (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id TEXT NOT NULL UNIQUE,
  revision INTEGER
) STRICT;

CREATE TRIGGER change_by_insert_of_project AFTER INSERT ON project BEGIN
  INSERT OR REPLACE INTO change (project_id, revision) VALUES (new.id, new.change_count);
END;
CREATE TRIGGER change_by_update_of_project AFTER UPDATE OF change_count ON project BEGIN
  INSERT OR REPLACE INTO change (project_id, revision) VALUES (new.id, new.change_count);
END;
CREATE TRIGGER change_by_delete_of_project AFTER DELETE ON project BEGIN
  INSERT OR REPLACE INTO change (project_id, revision) VALUES (old.id, NULL);
END;
CREATE TRIGGER change_by_insert_of_viewer_token_key AFTER INSERT ON viewer_token_key BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_update_of_viewer_token_key AFTER UPDATE ON viewer_token_key BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_delete_of_viewer_token_key AFTER DELETE ON viewer_token_key BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_insert_of_access_token AFTER INSERT ON access_token BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_update_of_access_token AFTER UPDATE ON access_token BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_delete_of_access_token AFTER DELETE ON access_token BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_insert_of_project_key AFTER INSERT ON project_key BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_update_of_project_key AFTER UPDATE ON project_key BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_delete_of_project_key AFTER DELETE ON project_key BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_insert_of_role AFTER INSERT ON role BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_update_of_role AFTER UPDATE ON role BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_delete_of_role AFTER DELETE ON role BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_insert_of_binding AFTER INSERT ON binding BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_update_of_binding AFTER UPDATE ON binding BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_delete_of_binding AFTER DELETE ON binding BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_insert_of_webhook AFTER INSERT ON webhook BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_update_of_webhook AFTER UPDATE ON webhook BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_delete_of_webhook AFTER DELETE ON webhook BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
