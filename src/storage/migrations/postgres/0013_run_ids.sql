-- Processes of the release before: may run

-- The runs of a project by id, in pages: without it, a list sorts all runs.
create index action_run_by_id on action_run (project_id, id);
