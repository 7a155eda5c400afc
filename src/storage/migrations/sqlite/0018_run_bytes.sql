-- Processes of the release before: may run

-- The size of a project's runs. Triggers keep it, so that it includes the runs of processes of the release before.
ALTER TABLE project ADD COLUMN run_bytes INTEGER NOT NULL DEFAULT 0;
UPDATE project SET run_bytes = (
  SELECT coalesce(sum(octet_length(payload)), 0) FROM action_run WHERE project_id = project.id
);

CREATE TRIGGER size_by_insert_of_action_run AFTER INSERT ON action_run BEGIN
  UPDATE project SET run_bytes = run_bytes + octet_length(new.payload) WHERE id = new.project_id;
END;
CREATE TRIGGER size_by_delete_of_action_run AFTER DELETE ON action_run BEGIN
  UPDATE project SET run_bytes = run_bytes - octet_length(old.payload) WHERE id = old.project_id;
END;

-- The runs of a project that ended first, which are deleted when it has too many.
CREATE INDEX action_run_ended_by_project ON action_run (project_id, update_time, id)
  WHERE due_time = 9000000000000000000;
