-- Processes of the release before: may run

-- The page of the draft of a page component, so that a page is read without the drafts of other pages. Null: it is not
-- known, or the draft is of another kind, or deletes the component.
ALTER TABLE release_item ADD COLUMN page_id TEXT;
DROP INDEX release_item_by_revision;
CREATE INDEX release_item_by_revision
  ON release_item (organization_id, release_id, kind, update_time, base_revision, resource_id, project_id, page_id);
