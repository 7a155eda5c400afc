-- Processes of the release before: must stop, because they order the components of a page by a column that goes

-- The ids of the components of a page, in order: a JSON array.
alter table page add column component_ids text collate "C" not null default '[]';
update page set component_ids = coalesce((
  select json_agg(id order by position)::text from page_component as component
  where component.organization_id = page.organization_id and component.page_id = page.id
), '[]');
alter table page_component drop column position;
create index page_component_by_page on page_component (organization_id, page_id);
