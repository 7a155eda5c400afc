-- Processes of the release before: must stop, which give up the runs of webhooks
-- Webhooks announce changes of a project's content. What they send is in `action_run` too, whose `action_id` is then
-- `webhook:` and the id of the webhook; no id of an action has a colon.
CREATE TABLE webhook (
  organization_id TEXT NOT NULL,
  id TEXT NOT NULL,
  project_id TEXT NOT NULL,
  create_time INTEGER NOT NULL,
  update_time INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL,
  secret TEXT NOT NULL, -- signs what the webhook sends
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, project_id) REFERENCES project (organization_id, id)
) STRICT;
CREATE INDEX webhook_by_project ON webhook (project_id, id);

-- Processes cache the webhooks of projects.
CREATE TRIGGER change_by_insert_of_webhook AFTER INSERT ON webhook BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_update_of_webhook AFTER UPDATE ON webhook BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_delete_of_webhook AFTER DELETE ON webhook BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
