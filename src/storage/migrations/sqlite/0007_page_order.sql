-- Processes of the release before: must stop, because they order the components of a page by a column that goes

-- The ids of the components of a page, in order: a JSON array.
ALTER TABLE page ADD COLUMN component_ids TEXT NOT NULL DEFAULT '[]';
UPDATE page SET component_ids = (
  SELECT json_group_array(id ORDER BY position) FROM page_component AS component
  WHERE component.organization_id = page.organization_id AND component.page_id = page.id
);

CREATE TABLE page_component_without_position (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  visibility INTEGER NOT NULL,
  page_id TEXT NOT NULL,
  group_id TEXT NOT NULL,
  is_filter INTEGER NOT NULL,
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id),
  FOREIGN KEY (organization_id, page_id) REFERENCES page (organization_id, id)
) STRICT;
INSERT INTO page_component_without_position
  SELECT organization_id, id, project_id, create_time, update_time, revision, doc, visibility, page_id, group_id,
    is_filter
  FROM page_component;
DROP TABLE page_component;
ALTER TABLE page_component_without_position RENAME TO page_component;
CREATE INDEX page_component_by_page ON page_component (organization_id, page_id);
CREATE INDEX page_component_by_project ON page_component (project_id, id);
