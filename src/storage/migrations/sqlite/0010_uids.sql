-- Processes of the release before: must stop, which write rows without uids
-- What outlives an organization or project goes by its uid: random, made with it, and never that of another
-- one, also not of one that takes its id later.
ALTER TABLE organization ADD COLUMN uid TEXT NOT NULL DEFAULT '';
UPDATE organization SET uid = lower(hex(randomblob(16)));

ALTER TABLE project ADD COLUMN uid TEXT NOT NULL DEFAULT '';
UPDATE project SET uid = lower(hex(randomblob(16)));

-- The uid of the last one that had the id.
ALTER TABLE retired_counter ADD COLUMN uid TEXT NOT NULL DEFAULT '';
UPDATE retired_counter SET uid = lower(hex(randomblob(16)));

ALTER TABLE audit_entry RENAME TO former_audit_entry;
DROP INDEX audit_entry_by_account;
DROP INDEX audit_entry_by_project;

-- Every write through the management interface.
CREATE TABLE audit_entry (
  organization_uid TEXT NOT NULL, -- without a reference: entries outlive what they tell of
  time INTEGER NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  doc BLOB NOT NULL,
  PRIMARY KEY (organization_uid, time DESC, id)
) STRICT, WITHOUT ROWID;

-- What was written before an organization was made is told of the one that had its id before.
INSERT INTO audit_entry (organization_uid, time, id, project_id, account_id, doc)
SELECT
  CASE
    WHEN organization.uid IS NULL OR entry.time < organization.create_time
      THEN coalesce(retired.uid, organization.uid, '')
    ELSE organization.uid
  END,
  entry.time, entry.id, entry.project_id, entry.account_id, entry.doc
FROM former_audit_entry AS entry
LEFT JOIN organization ON organization.id = entry.organization_id
LEFT JOIN retired_counter AS retired
  ON retired.type = 'organization' AND retired.id = entry.organization_id;
DROP TABLE former_audit_entry;

CREATE INDEX audit_entry_by_account ON audit_entry (organization_uid, account_id, time DESC, id);
CREATE INDEX audit_entry_by_project ON audit_entry (organization_uid, project_id, time DESC, id);
