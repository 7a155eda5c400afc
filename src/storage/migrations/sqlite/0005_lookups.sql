-- Processes of the release before: may run

-- The changes of an account, and the runs that failed.
CREATE INDEX history_by_account ON history (project_id, account_id, revision DESC, id);
CREATE INDEX action_run_failed ON action_run (project_id, create_time DESC, id) WHERE state = 3;
