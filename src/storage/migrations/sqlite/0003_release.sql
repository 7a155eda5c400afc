-- Processes of the release before: may run

CREATE TABLE release (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  state INTEGER NOT NULL,
  apply_time INTEGER NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id)
) STRICT;
CREATE INDEX release_by_project ON release (project_id, id);
CREATE INDEX release_by_time ON release (state, apply_time, id);

-- The drafts of releases. `base` is the record that was live when `draft` was written.
CREATE TABLE release_item (
  organization_id TEXT NOT NULL,
  release_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  resource_id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  base BLOB, -- null: the resource did not exist
  draft BLOB, -- null: the draft deletes it
  is_forced INTEGER NOT NULL, -- 1: it is deleted although others refer to it
  account_id TEXT NOT NULL,
  update_time INTEGER NOT NULL,
  PRIMARY KEY (organization_id, release_id, kind, resource_id),
  FOREIGN KEY (organization_id, release_id) REFERENCES release (organization_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX release_item_by_resource ON release_item (organization_id, kind, resource_id);
