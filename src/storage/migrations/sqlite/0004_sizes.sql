-- Processes of the release before: may run

-- The sizes of drafts and of history. Triggers keep them, so that they include the rows of processes of the release
-- before.
ALTER TABLE release ADD COLUMN draft_count INTEGER NOT NULL DEFAULT 0;
ALTER TABLE release ADD COLUMN draft_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE release ADD COLUMN draft_time INTEGER NOT NULL DEFAULT 0; -- when a draft was last written
ALTER TABLE project ADD COLUMN draft_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE project ADD COLUMN history_bytes INTEGER NOT NULL DEFAULT 0;

UPDATE release SET (draft_count, draft_bytes, draft_time) = (
  SELECT count(*), coalesce(sum(coalesce(octet_length(base), 0) + coalesce(octet_length(draft), 0)), 0),
    coalesce(max(update_time), 0)
  FROM release_item AS item
  WHERE item.organization_id = release.organization_id AND item.release_id = release.id
);
UPDATE project SET
  draft_bytes = (SELECT coalesce(sum(draft_bytes), 0) FROM release WHERE project_id = project.id),
  history_bytes = (
    SELECT coalesce(sum(coalesce(octet_length(before), 0) + coalesce(octet_length(doc), 0)), 0)
    FROM history WHERE project_id = project.id
  );

CREATE TRIGGER size_by_insert_of_release_item AFTER INSERT ON release_item BEGIN
  UPDATE release SET
    draft_count = draft_count + 1,
    draft_bytes = draft_bytes + coalesce(octet_length(new.base), 0) + coalesce(octet_length(new.draft), 0),
    draft_time = max(draft_time, new.update_time)
  WHERE organization_id = new.organization_id AND id = new.release_id;
  UPDATE project SET
    draft_bytes = draft_bytes + coalesce(octet_length(new.base), 0) + coalesce(octet_length(new.draft), 0)
  WHERE id = new.project_id;
END;
CREATE TRIGGER size_by_delete_of_release_item AFTER DELETE ON release_item BEGIN
  UPDATE release SET
    draft_count = draft_count - 1,
    draft_bytes = draft_bytes - coalesce(octet_length(old.base), 0) - coalesce(octet_length(old.draft), 0)
  WHERE organization_id = old.organization_id AND id = old.release_id;
  UPDATE project SET
    draft_bytes = draft_bytes - coalesce(octet_length(old.base), 0) - coalesce(octet_length(old.draft), 0)
  WHERE id = old.project_id;
END;
CREATE TRIGGER size_by_insert_of_history AFTER INSERT ON history BEGIN
  UPDATE project SET
    history_bytes = history_bytes + coalesce(octet_length(new.before), 0) + coalesce(octet_length(new.doc), 0)
  WHERE id = new.project_id;
END;
CREATE TRIGGER size_by_delete_of_history AFTER DELETE ON history BEGIN
  UPDATE project SET
    history_bytes = history_bytes - coalesce(octet_length(old.before), 0) - coalesce(octet_length(old.doc), 0)
  WHERE id = old.project_id;
END;

-- The revision of `base`, 0 if the resource did not exist: while that is live, nothing has to be merged. Null: it is not
-- known.
ALTER TABLE release_item ADD COLUMN base_revision INTEGER;
CREATE INDEX release_item_by_revision
  ON release_item (organization_id, release_id, kind, update_time, base_revision, resource_id, project_id);
