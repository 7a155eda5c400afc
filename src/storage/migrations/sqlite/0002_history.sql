-- Processes of the release before: may run

-- Every change of a resource with history. A change has a row for each of its resources, with parts in a row. The state
-- after a row is that before the resource's next row, or the stored resource.
CREATE TABLE history (
  project_id TEXT NOT NULL, -- empty: the resource belongs to none
  revision INTEGER NOT NULL,
  part INTEGER NOT NULL,
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL, -- that of the audit entry
  time INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  resource_id TEXT NOT NULL,
  paths TEXT NOT NULL, -- JSON: the changed paths of a resource that alone was updated; otherwise empty
  before BLOB, -- the record before; null: there was none, or none is kept
  doc BLOB, -- the change without values, in its first row
  PRIMARY KEY (project_id, revision, part)
) STRICT, WITHOUT ROWID;
CREATE INDEX history_by_id ON history (organization_id, id, part);
CREATE INDEX history_by_resource ON history (project_id, kind, resource_id, revision, part);
