-- Processes of the release before: may run

-- The changes of an account, and the runs that failed.
create index history_by_account on history (project_id, account_id, revision desc, id);
create index action_run_failed on action_run (project_id, create_time desc, id) where state = 3;
