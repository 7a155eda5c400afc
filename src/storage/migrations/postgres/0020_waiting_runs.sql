-- Processes of the release before: may run

-- The runs that wait, the oldest first: metrics count them, and found the oldest by reading all.
create index action_run_waiting on action_run (create_time) where due_time < 9000000000000000000;
drop index action_run_due;
