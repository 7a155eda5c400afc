-- Processes of the release before: must stop, as statements are sized by what they do not count.
-- The columns of `migrations/sqlite` at the same number, whose comments tell what they hold.
alter table content_collection add column most_values bigint not null default 0;
alter table content_collection add column most_characters bigint not null default 0;
update content_collection set
  most_values = coalesce((
    select max(count) from (
      select count(*) as count from content join content_leaf using (item)
      where content.collection = content_collection.collection group by item
    ) as counted
  ), 0),
  most_characters = coalesce((
    select max(length(doc)) from content where content.collection = content_collection.collection
  ), 0);
