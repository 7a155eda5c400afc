-- The streams of viewers, by the `uid` of their project. Times are microseconds since 1970. A row no longer counts
-- from its `expire_time`; `start_time` is when the stream was taken.
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

-- The requests of all processes by key in a minute, counted since 1970.
CREATE TABLE rate_count (
  minute INTEGER NOT NULL,
  key TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (minute, key)
) STRICT, WITHOUT ROWID;
