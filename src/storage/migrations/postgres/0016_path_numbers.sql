-- Processes of the release before: may run

-- Paths that no item has are deleted, and a transaction that is rolled back uses numbers up: after the last number, the first
-- ones are free.
alter table content_path alter column path set cycle;
