-- Processes of the release before: must stop, because they change the targets of actions without this column

-- The target of an action as JSON, which each claim of its runs reads: the rest of its document may have megabytes. Null until it
-- is written again.
ALTER TABLE action ADD COLUMN target TEXT;
