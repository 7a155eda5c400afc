-- Processes of the release before: may run
-- Requests by key in a minute, counted since 1970, of all processes.
CREATE TABLE rate_count (
  minute INTEGER NOT NULL,
  key TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (minute, key)
) STRICT, WITHOUT ROWID;
