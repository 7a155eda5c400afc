-- Processes of the release before: may run

-- The page of the draft of a page component, so that a page is read without the drafts of other pages. Null: it is not
-- known, or the draft is of another kind, or deletes the component.
alter table release_item add column page_id text collate "C";
drop index release_item_by_revision;
create index release_item_by_revision
  on release_item (organization_id, release_id, kind, update_time, base_revision, resource_id, project_id, page_id);
