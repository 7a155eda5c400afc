-- Processes of the release before: must stop, whose runs have no turns and are never sent
-- Whose runs are sent next: organizations take turns, in each its projects, in each its actions. One has a
-- row as long as a run of it waits. Times are microseconds since 1970.
CREATE TABLE action_turn (
  level TEXT NOT NULL CHECK (level IN ('organization', 'project', 'action')),
  parent_id TEXT NOT NULL, -- the project of an action, the organization of a project; empty: it has none
  id TEXT NOT NULL,
  turn INTEGER NOT NULL, -- when its first run is due or its lease ends; if that is past, its last turn
  PRIMARY KEY (level, parent_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX action_turn_next ON action_turn (level, parent_id, turn, id);

INSERT INTO action_turn (level, parent_id, id, turn)
SELECT 'action', project_id, action_id, min(due_time) FROM action_run
WHERE due_time < 9000000000000000000 GROUP BY project_id, action_id;
INSERT INTO action_turn (level, parent_id, id, turn)
SELECT 'project', project.organization_id, project.id, min(action_turn.turn)
FROM action_turn JOIN project ON project.id = action_turn.parent_id
WHERE level = 'action' GROUP BY project.organization_id, project.id;
INSERT INTO action_turn (level, parent_id, id, turn)
SELECT 'organization', '', parent_id, min(turn) FROM action_turn
WHERE level = 'project' GROUP BY parent_id;

CREATE INDEX action_run_next ON action_run (project_id, action_id, due_time)
  WHERE due_time < 9000000000000000000;
CREATE INDEX action_run_by_lease ON action_run (lease) WHERE lease <> '';
