-- Processes of the release before: may run

-- Nothing: the numbers of paths end in PostgreSQL alone.
