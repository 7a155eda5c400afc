-- Processes of the release before: must stop, because they store content without the columns of its window

-- The window of an item, which its posting list entries repeat, as keys of its leaves. An item without a start has '', one
-- without an end has '~', which is greater than the key of any time.
alter table content add column open_from text collate "C" not null default '';
alter table content add column open_until text collate "C" not null default '~';
alter table content_value add column open_from text collate "C" not null default '';
alter table content_value add column open_until text collate "C" not null default '~';

update content set open_from = entry.value
from content_path as path join content_value as entry on entry.path = path.path
where path.name = 'availability.start_time' and entry.item = content.item;
update content set open_until = entry.value
from content_path as path join content_value as entry on entry.path = path.path
where path.name = 'availability.end_time' and entry.item = content.item;
update content_value set open_from = own.open_from, open_until = own.open_until
from (
  select path, visibility, substr(key, 1, 256) as value, sort_time, id, open_from, open_until
  from content join content_leaf as leaf on leaf.item = content.item
  where open_from <> '' or open_until <> '~'
) as own
where content_value.path = own.path and content_value.visibility = own.visibility and content_value.value = own.value
  and content_value.sort_time = own.sort_time and content_value.id = own.id;
