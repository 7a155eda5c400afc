-- Processes of the release before: must stop, which do not count what they write
-- The columns of `migrations/sqlite` at the same number, whose comments tell what they hold.
alter table project
  add column item_count bigint not null default 0,
  add column byte_count bigint not null default 0,
  add column key_count bigint not null default 0,
  add column item_quota bigint not null default 0,
  add column byte_quota bigint not null default 0,
  add column key_quota bigint not null default 0;

alter table organization
  add column project_count bigint not null default 0,
  add column account_count bigint not null default 0,
  add column project_quota bigint not null default 0,
  add column account_quota bigint not null default 0,
  add column item_quota bigint not null default 0,
  add column byte_quota bigint not null default 0;

update organization set
  project_count = (select count(*) from project where project.organization_id = organization.id),
  account_count = (select count(*) from account where account.organization_id = organization.id);

update project set
  key_count = (select count(*) from project_key where project_key.project_id = project.id);

update project set item_count = used.items, byte_count = used.bytes
from (
  select project_id, sum(items) as items, sum(bytes) as bytes
  from (
    select project_id, count(*) as items, sum(octet_length(doc)) as bytes
    from content join content_collection on content_collection.collection = content.collection
    group by project_id
    union all
    select project_id, count(*), sum(octet_length(doc)) from video group by project_id
    union all
    select project_id, count(*), sum(octet_length(doc)) from action group by project_id
    union all
    select project_id, count(*), sum(octet_length(doc)) from annotation_type group by project_id
    union all
    select project_id, count(*), sum(octet_length(doc)) from annotation group by project_id
    union all
    select project_id, count(*), sum(octet_length(doc)) from banner_collection group by project_id
    union all
    select project_id, count(*), sum(octet_length(doc)) from page group by project_id
    union all
    select project_id, count(*), sum(octet_length(doc)) from page_component group by project_id
    union all
    select project_id, count(*), sum(octet_length(doc)) from ruleset group by project_id
    union all
    select project_id, count(*), sum(octet_length(doc)) from offer group by project_id
    union all
    select project_id, count(*), sum(octet_length(doc)) from transaction_record group by project_id
    union all
    select project_id, count(*), 0 from entitlement where is_granted = 1 group by project_id
  ) as by_table
  group by project_id
) as used
where used.project_id = project.id;
