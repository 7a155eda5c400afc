-- When captured transactions give their users access; `id` is that of the transaction. What the offer
-- opens is read from the offer. Filled by fill-entitlements.ts.
CREATE TABLE entitlement (
  project_id TEXT NOT NULL REFERENCES project (id),
  user_id TEXT NOT NULL,
  start_time INTEGER NOT NULL,
  id TEXT NOT NULL,
  end_time INTEGER NOT NULL, -- never: 9000000000000000000
  offer_id TEXT NOT NULL,
  PRIMARY KEY (project_id, user_id, start_time DESC, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX entitlement_by_end ON entitlement (project_id, user_id, end_time, offer_id);
