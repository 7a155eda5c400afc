-- The streams of viewers. Times are microseconds since 1970. A row whose `expire_time` has come counts
-- no more; `start_time` is when the stream was taken.
CREATE TABLE lease (
  project_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  session_key TEXT NOT NULL,
  video_id TEXT NOT NULL,
  start_time INTEGER NOT NULL,
  expire_time INTEGER NOT NULL,
  PRIMARY KEY (project_id, user_id, session_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX lease_by_expire_time ON lease (expire_time);
