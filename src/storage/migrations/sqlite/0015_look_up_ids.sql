-- Processes of the release before: may run

-- The annotations of a video and of an event, and the bindings of an account, by id: without them, a look-up reads all of
-- the project or the organization, or sorts all that it finds.
CREATE INDEX annotation_by_video_id ON annotation (project_id, video_id, id);
CREATE INDEX annotation_by_event_id ON annotation (project_id, event_id, id);
CREATE INDEX binding_by_account_id ON binding (organization_id, account_id, id);
