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

CREATE TABLE entity (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL
) STRICT;

CREATE TABLE creative_work (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL
) STRICT;

CREATE TABLE event (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  visibility INTEGER NOT NULL,
  start_time INTEGER,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL
) STRICT;
CREATE INDEX event_by_start ON event (project_id, visibility, start_time, id);

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
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL
) STRICT;

CREATE TABLE page (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  slug TEXT NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  UNIQUE (project_id, slug)
) STRICT;

CREATE TABLE page_component (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  page_id TEXT NOT NULL REFERENCES page (id),
  position INTEGER NOT NULL,
  group_id TEXT NOT NULL,
  is_filter INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  UNIQUE (page_id, position)
) STRICT;

CREATE TABLE ruleset (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL
) STRICT;

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
