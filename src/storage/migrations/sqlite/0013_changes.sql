-- Processes of the release before: may run
-- The last change of each project, of which `revision` is NULL once it is deleted, and of the installation's keys,
-- credentials and roles (`project_id` empty). `number` grows with every change, so that other processes find what
-- has changed since they looked.
CREATE TABLE change (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  project_id TEXT NOT NULL UNIQUE,
  revision INTEGER
) STRICT;

CREATE TRIGGER change_by_insert_of_project AFTER INSERT ON project BEGIN
  INSERT OR REPLACE INTO change (project_id, revision) VALUES (new.id, new.change_count);
END;
CREATE TRIGGER change_by_update_of_project AFTER UPDATE OF change_count ON project BEGIN
  INSERT OR REPLACE INTO change (project_id, revision) VALUES (new.id, new.change_count);
END;
CREATE TRIGGER change_by_delete_of_project AFTER DELETE ON project BEGIN
  INSERT OR REPLACE INTO change (project_id, revision) VALUES (old.id, NULL);
END;

CREATE TRIGGER change_by_insert_of_viewer_token_key AFTER INSERT ON viewer_token_key BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_update_of_viewer_token_key AFTER UPDATE ON viewer_token_key BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_delete_of_viewer_token_key AFTER DELETE ON viewer_token_key BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_insert_of_access_token AFTER INSERT ON access_token BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_update_of_access_token AFTER UPDATE ON access_token BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_delete_of_access_token AFTER DELETE ON access_token BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_insert_of_project_key AFTER INSERT ON project_key BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_update_of_project_key AFTER UPDATE ON project_key BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_delete_of_project_key AFTER DELETE ON project_key BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_insert_of_role AFTER INSERT ON role BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_update_of_role AFTER UPDATE ON role BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_delete_of_role AFTER DELETE ON role BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_insert_of_binding AFTER INSERT ON binding BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_update_of_binding AFTER UPDATE ON binding BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
CREATE TRIGGER change_by_delete_of_binding AFTER DELETE ON binding BEGIN
  INSERT OR REPLACE INTO change (project_id) VALUES ('');
END;
