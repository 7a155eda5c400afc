-- Processes of the release before: may run

-- The runs of a project by id, in pages: without it, a list sorts all runs.
CREATE INDEX action_run_by_id ON action_run (project_id, id);
