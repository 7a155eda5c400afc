-- Processes of the release before: may run

-- The runs that wait, the oldest first: metrics count them, and found the oldest by reading all.
CREATE INDEX action_run_waiting ON action_run (create_time) WHERE due_time < 9000000000000000000;
DROP INDEX action_run_due;
