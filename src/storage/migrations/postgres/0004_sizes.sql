-- Processes of the release before: may run

-- The sizes of drafts and of history. Triggers keep them, so that they include the rows of processes of the release
-- before.
-- Until the columns are added, only writers wait.
lock table project, release, release_item, history in share row exclusive mode;
create temporary table drafts_before on commit drop as
  select organization_id, release_id, project_id, count(*) as items, max(update_time) as last_time,
    sum(coalesce(octet_length(base), 0) + coalesce(octet_length(draft), 0)) as bytes
  from release_item group by organization_id, release_id, project_id;
create temporary table history_before on commit drop as
  select project_id, sum(coalesce(octet_length(before), 0) + coalesce(octet_length(doc), 0)) as bytes
  from history group by project_id;

alter table project add column draft_bytes bigint not null default 0;
alter table project add column history_bytes bigint not null default 0;
alter table release add column draft_count bigint not null default 0;
alter table release add column draft_bytes bigint not null default 0;
alter table release add column draft_time bigint not null default 0; -- when a draft was last written
update release set draft_count = items, draft_bytes = bytes, draft_time = last_time from drafts_before as counted
  where release.organization_id = counted.organization_id and release.id = release_id;
update project set draft_bytes = bytes from (
  select project_id, sum(bytes) as bytes from drafts_before group by project_id
) as counted where project.id = project_id;
update project set history_bytes = bytes from history_before where project.id = project_id;

create function count_drafts() returns trigger language plpgsql as $$
declare
  sign integer := case tg_op when 'INSERT' then 1 else -1 end;
begin
  update release set
    draft_count = draft_count + sign * items,
    draft_bytes = release.draft_bytes + sign * bytes,
    draft_time = case tg_op when 'INSERT' then greatest(draft_time, last_time) else draft_time end
  from (
    select organization_id, release_id, count(*) as items, max(update_time) as last_time,
      sum(coalesce(octet_length(base), 0) + coalesce(octet_length(draft), 0)) as bytes
    from changed group by organization_id, release_id
  ) as counted where release.organization_id = counted.organization_id and release.id = release_id;
  update project set draft_bytes = project.draft_bytes + sign * bytes from (
    select project_id, sum(coalesce(octet_length(base), 0) + coalesce(octet_length(draft), 0)) as bytes
    from changed group by project_id
  ) as counted where project.id = project_id;
  return null;
end $$;
create trigger size_by_insert after insert on release_item
  referencing new table as changed for each statement execute function count_drafts();
create trigger size_by_delete after delete on release_item
  referencing old table as changed for each statement execute function count_drafts();

create function count_history() returns trigger language plpgsql as $$
begin
  update project set
    history_bytes = history_bytes + case tg_op when 'INSERT' then bytes else -bytes end
  from (
    select project_id, sum(coalesce(octet_length(before), 0) + coalesce(octet_length(doc), 0)) as bytes
    from changed group by project_id
  ) as counted where project.id = project_id;
  return null;
end $$;
create trigger size_by_insert after insert on history
  referencing new table as changed for each statement execute function count_history();
create trigger size_by_delete after delete on history
  referencing old table as changed for each statement execute function count_history();

-- The revision of `base`, 0 if the resource did not exist: while that is live, nothing has to be merged. Null: it is not
-- known.
alter table release_item add column base_revision bigint;
create index release_item_by_revision
  on release_item (organization_id, release_id, kind, update_time, base_revision, resource_id, project_id);
