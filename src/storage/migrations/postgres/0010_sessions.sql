-- Processes of the release before: may run

-- The sessions of an account are found without its other access tokens.
alter table access_token add column is_session bigint not null default 0; -- 1: a session
create index access_token_session on access_token (organization_id, account_id, create_time, id) where is_session = 1;
