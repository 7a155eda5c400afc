-- Processes of the release before: must stop, which do not count what they write
-- What a project holds now and the quotas of its message (0: no limit). An item is a resource that counts for a
-- quota by `KINDS`; bytes are those of the documents of items.
ALTER TABLE project ADD COLUMN item_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE project ADD COLUMN byte_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE project ADD COLUMN key_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE project ADD COLUMN item_quota INTEGER NOT NULL DEFAULT 0;
ALTER TABLE project ADD COLUMN byte_quota INTEGER NOT NULL DEFAULT 0;
ALTER TABLE project ADD COLUMN key_quota INTEGER NOT NULL DEFAULT 0;

-- Items and bytes of an organization are the sums of its projects.
ALTER TABLE organization ADD COLUMN project_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE organization ADD COLUMN account_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE organization ADD COLUMN project_quota INTEGER NOT NULL DEFAULT 0;
ALTER TABLE organization ADD COLUMN account_quota INTEGER NOT NULL DEFAULT 0;
ALTER TABLE organization ADD COLUMN item_quota INTEGER NOT NULL DEFAULT 0;
ALTER TABLE organization ADD COLUMN byte_quota INTEGER NOT NULL DEFAULT 0;

UPDATE organization SET
  project_count = (SELECT count(*) FROM project WHERE project.organization_id = organization.id),
  account_count = (SELECT count(*) FROM account WHERE account.organization_id = organization.id);

UPDATE project SET
  key_count = (SELECT count(*) FROM project_key WHERE project_key.project_id = project.id);

UPDATE project SET item_count = used.items, byte_count = used.bytes
FROM (
  SELECT project_id, sum(items) AS items, sum(bytes) AS bytes
  FROM (
    SELECT project_id, count(*) AS items, sum(octet_length(doc)) AS bytes
    FROM content JOIN content_collection ON content_collection.collection = content.collection
    GROUP BY project_id
    UNION ALL
    SELECT project_id, count(*), sum(octet_length(doc)) FROM video GROUP BY project_id
    UNION ALL
    SELECT project_id, count(*), sum(octet_length(doc)) FROM action GROUP BY project_id
    UNION ALL
    SELECT project_id, count(*), sum(octet_length(doc)) FROM annotation_type GROUP BY project_id
    UNION ALL
    SELECT project_id, count(*), sum(octet_length(doc)) FROM annotation GROUP BY project_id
    UNION ALL
    SELECT project_id, count(*), sum(octet_length(doc)) FROM banner_collection GROUP BY project_id
    UNION ALL
    SELECT project_id, count(*), sum(octet_length(doc)) FROM page GROUP BY project_id
    UNION ALL
    SELECT project_id, count(*), sum(octet_length(doc)) FROM page_component GROUP BY project_id
    UNION ALL
    SELECT project_id, count(*), sum(octet_length(doc)) FROM ruleset GROUP BY project_id
    UNION ALL
    SELECT project_id, count(*), sum(octet_length(doc)) FROM offer GROUP BY project_id
    UNION ALL
    SELECT project_id, count(*), sum(octet_length(doc)) FROM transaction_record GROUP BY project_id
    UNION ALL
    SELECT project_id, count(*), 0 FROM entitlement WHERE is_granted = 1 GROUP BY project_id
  ) AS by_table
  GROUP BY project_id
) AS used
WHERE used.project_id = project.id;
