-- Processes of the release before: may run

-- The size of a project's runs. Triggers keep it, so that it includes the runs of processes of the release before.
-- Until the column is added, only writers wait.
lock table project, action_run in share row exclusive mode;
create temporary table runs_before on commit drop as
  select project_id, sum(octet_length(payload)) as bytes from action_run group by project_id;
alter table project add column run_bytes bigint not null default 0;
update project set run_bytes = bytes from runs_before where project.id = project_id;

create function count_runs() returns trigger language plpgsql as $$
begin
  update project set run_bytes = run_bytes + case tg_op when 'INSERT' then bytes else -bytes end
  from (
    select project_id, sum(octet_length(payload)) as bytes from changed group by project_id
  ) as counted where project.id = project_id;
  return null;
end $$;
create trigger size_by_insert after insert on action_run
  referencing new table as changed for each statement execute function count_runs();
create trigger size_by_delete after delete on action_run
  referencing old table as changed for each statement execute function count_runs();

-- The runs of a project that ended first, which are deleted when it has too many.
create index action_run_ended_by_project on action_run (project_id, update_time, id)
  where due_time = 9000000000000000000;
