-- Documents (`doc`) are protobuf messages in binary form; the columns beside them are what is
-- looked up. Times are microseconds since 1970. `revision` is taken from the project's counter.

CREATE TABLE organization (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE project (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organization (id),
  name TEXT NOT NULL,
  revision INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX project_by_organization ON project (organization_id, id);

CREATE TABLE account (
  id TEXT PRIMARY KEY,
  organization_id TEXT NOT NULL REFERENCES organization (id),
  name TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE access_token (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  name TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  create_time INTEGER NOT NULL,
  expire_time INTEGER,
  revoke_time INTEGER
) STRICT;
CREATE INDEX access_token_by_account ON access_token (account_id);

CREATE TABLE project_key (
  hash BLOB PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  kind TEXT NOT NULL CHECK (kind IN ('public', 'preview'))
) STRICT, WITHOUT ROWID;

CREATE TABLE role (
  id TEXT PRIMARY KEY,
  permissions TEXT NOT NULL -- a JSON array of names
) STRICT, WITHOUT ROWID;

CREATE TABLE binding (
  account_id TEXT NOT NULL REFERENCES account (id),
  role_id TEXT NOT NULL REFERENCES role (id),
  organization_id TEXT NOT NULL REFERENCES organization (id),
  project_id TEXT REFERENCES project (id),
  resource_type TEXT,
  resource_id TEXT,
  CHECK ((resource_type IS NULL) = (resource_id IS NULL)),
  CHECK (resource_id IS NULL OR project_id IS NOT NULL)
) STRICT;
CREATE INDEX binding_by_account ON binding (account_id);

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
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL
) STRICT;

CREATE TABLE annotation_type (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL
) STRICT;

CREATE TABLE annotation (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  visibility INTEGER NOT NULL,
  video_id TEXT NOT NULL, -- empty: none
  event_id TEXT NOT NULL, -- empty: none
  moment INTEGER NOT NULL, -- in microseconds; not set: 9000000000000000000
  sort_order INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL
) STRICT;

CREATE INDEX annotation_by_video ON annotation (project_id, video_id, visibility, moment, sort_order, id);
CREATE INDEX annotation_by_event ON annotation (project_id, event_id, visibility, moment, sort_order, id);

CREATE TABLE banner_collection (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  visibility INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL
) STRICT;

CREATE TABLE page (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  visibility INTEGER NOT NULL,
  slug TEXT NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  UNIQUE (project_id, slug)
) STRICT;

CREATE TABLE page_component (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  visibility INTEGER NOT NULL,
  page_id TEXT NOT NULL REFERENCES page (id),
  position INTEGER NOT NULL,
  group_id TEXT NOT NULL,
  is_filter INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  UNIQUE (page_id, position)
) STRICT;

CREATE TABLE offer (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  visibility INTEGER NOT NULL,
  position INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL
) STRICT;
CREATE INDEX offer_by_position ON offer (project_id, visibility, position, id);

CREATE TABLE ruleset (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
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
  billing_transaction_id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  is_revenue INTEGER NOT NULL, -- 1: captured, and no test
  currency_code TEXT NOT NULL,
  units INTEGER NOT NULL,
  nanos INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL
) STRICT;
CREATE INDEX transaction_record_by_time ON transaction_record (project_id, create_time DESC, id);
CREATE INDEX transaction_record_by_billing_id ON transaction_record (billing_transaction_id, project_id, create_time DESC, id);
CREATE INDEX transaction_record_revenue ON transaction_record (project_id, is_revenue, currency_code, units, nanos);
