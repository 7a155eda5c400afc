-- Processes of the release before: may run

-- The sessions of an account are found without its other access tokens.
ALTER TABLE access_token ADD COLUMN is_session INTEGER NOT NULL DEFAULT 0; -- 1: a session
CREATE INDEX access_token_session ON access_token (organization_id, account_id, create_time, id) WHERE is_session = 1;
