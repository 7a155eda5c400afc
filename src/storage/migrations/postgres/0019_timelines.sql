-- Processes of the release before: may run
-- A failover that loses the last of the log gives out the same counters again. So the counters of a row jump to the
-- next multiple of 2^32 when it is first counted on another timeline of the server than before.

alter table organization add column timeline integer not null default 1;
alter table project add column timeline integer not null default 1;

create function current_timeline() returns integer language sql as $$
  select ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer
$$;

create function count_change() returns trigger language plpgsql as $$
declare
  present integer := current_timeline();
begin
  new.change_xid := pg_current_xact_id();
  if new.timeline <> present then
    -- A server that was upgraded begins with timeline 1 again.
    new.change_count := ((new.change_count >> 32) + greatest(present - new.timeline, 1)) << 32;
    new.timeline := present;
    if tg_op = 'INSERT' then
      new.revision := new.change_count;
    end if;
  end if;
  return new;
end $$;
drop trigger note_change on organization;
create trigger count_change before insert or update of change_count on organization
  for each row execute function count_change();
drop trigger note_change on project;
create trigger count_change before insert or update of change_count on project
  for each row execute function count_change();

-- A run counts its own revisions.
create function count_revision() returns trigger language plpgsql as $$
begin
  new.revision := greatest(new.revision, (current_timeline() - 1)::bigint << 32);
  return new;
end $$;
create trigger count_revision before update of revision on action_run
  for each row execute function count_revision();
