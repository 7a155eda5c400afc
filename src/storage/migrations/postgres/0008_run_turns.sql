-- Processes of the release before: must stop, because they take runs by a table that goes

-- The order of sending: organizations take turns, and in each its actions and webhooks. Each has a row while one of its
-- runs waits.
create table run_turn (
  organization_id text collate "C" not null,
  project_id text collate "C" not null, -- empty in the row of the organization
  action_id text collate "C" not null, -- as in action_run; empty in the row of the organization
  turn bigint not null, -- when its first run is due or its lease ends; if that is past, its last turn
  primary key (organization_id, project_id, action_id)
);
insert into run_turn
  select project.organization_id, project.id, action_turn.id, turn
  from action_turn join project on project.id = parent_id where level = 'action';
insert into run_turn select id, '', '', turn from action_turn where level = 'organization';
create index run_turn_of_organization on run_turn (project_id, turn, organization_id) where project_id = '';
create index run_turn_of_action on run_turn (organization_id, turn, project_id, action_id) where project_id <> '';
drop table action_turn;
