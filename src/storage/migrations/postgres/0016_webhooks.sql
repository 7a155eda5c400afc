-- Processes of the release before: must stop, which give up the runs of webhooks
-- The table of `migrations/sqlite` at the same number, whose comments tell what it holds.
create table webhook (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  project_id text collate "C" not null,
  create_time bigint not null,
  update_time bigint not null,
  revision bigint not null,
  doc bytea not null,
  secret text collate "C" not null,
  primary key (organization_id, id),
  foreign key (organization_id, project_id) references project (organization_id, id)
);
create index webhook_by_project on webhook (project_id, id);

create trigger note_key_change after insert or update or delete on webhook
  for each row execute function note_key_change();
