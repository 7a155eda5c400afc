-- Processes of the release before: must stop, which do not know the new table
-- Streams belong to the project and not to its id, which another project may take. Those that are held are
-- given up: which project they are of is told by the other file only.
DROP TABLE lease;
CREATE TABLE lease (
  project_uid TEXT NOT NULL,
  user_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  video_id TEXT NOT NULL,
  start_time INTEGER NOT NULL,
  expire_time INTEGER NOT NULL,
  PRIMARY KEY (project_uid, user_id, session_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX lease_by_expire_time ON lease (expire_time);
