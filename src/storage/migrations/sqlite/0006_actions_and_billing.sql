-- Processes of the release before: may run
-- What the billing provider of a project signs with.
CREATE TABLE billing_integration (
  project_id TEXT PRIMARY KEY REFERENCES project (id),
  revision INTEGER NOT NULL,
  secret TEXT NOT NULL,
  secret_create_time INTEGER NOT NULL,
  previous_secret TEXT, -- null: there was none
  previous_expire_time INTEGER,
  CHECK ((previous_secret IS NULL) = (previous_expire_time IS NULL))
) STRICT;

CREATE TABLE action (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  secret TEXT NOT NULL -- signs what the action sends
) STRICT;
CREATE INDEX action_by_project ON action (project_id, id);

-- The outbox of actions: written together with the annotation, worked off by whoever has the lease.
CREATE TABLE action_run (
  id TEXT PRIMARY KEY,
  project_id TEXT NOT NULL REFERENCES project (id),
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  annotation_id TEXT NOT NULL,
  action_id TEXT NOT NULL,
  state INTEGER NOT NULL,
  due_time INTEGER NOT NULL, -- the next attempt, or the end of the lease; not to be sent: 9000000000000000000
  lease TEXT NOT NULL, -- empty: nobody has it
  first_attempt_time INTEGER NOT NULL, -- not sent yet: 9000000000000000000
  payload TEXT NOT NULL -- JSON: what is sent; empty: nothing can be
) STRICT;
CREATE INDEX action_run_by_project ON action_run (project_id, create_time DESC, id);
CREATE INDEX action_run_by_annotation ON action_run (project_id, annotation_id, create_time DESC, id);
CREATE INDEX action_run_by_action ON action_run (project_id, action_id, create_time DESC, id);
CREATE INDEX action_run_due ON action_run (due_time) WHERE due_time < 9000000000000000000;
CREATE INDEX action_run_ended ON action_run (update_time) WHERE due_time = 9000000000000000000;
