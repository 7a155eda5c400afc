-- Processes of the release before: must stop, because they take runs by a table that goes

-- The order of sending: organizations take turns, and in each its actions and webhooks. Each has a row while one of its
-- runs waits.
CREATE TABLE run_turn (
  organization_id TEXT NOT NULL,
  project_id TEXT NOT NULL, -- empty in the row of the organization
  action_id TEXT NOT NULL, -- as in action_run; empty in the row of the organization
  turn INTEGER NOT NULL, -- when its first run is due or its lease ends; if that is past, its last turn
  PRIMARY KEY (organization_id, project_id, action_id)
) STRICT, WITHOUT ROWID;
INSERT INTO run_turn
  SELECT project.organization_id, project.id, action_turn.id, turn
  FROM action_turn JOIN project ON project.id = parent_id WHERE level = 'action';
INSERT INTO run_turn SELECT id, '', '', turn FROM action_turn WHERE level = 'organization';
CREATE INDEX run_turn_of_organization ON run_turn (project_id, turn, organization_id) WHERE project_id = '';
CREATE INDEX run_turn_of_action ON run_turn (organization_id, turn, project_id, action_id) WHERE project_id <> '';
DROP TABLE action_turn;
