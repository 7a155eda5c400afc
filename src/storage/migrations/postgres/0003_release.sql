-- Processes of the release before: may run

create table release (
  organization_id text collate "C" not null,
  id text collate "C" not null,
  project_id text collate "C" not null,
  create_time bigint not null,
  update_time bigint not null,
  revision bigint not null,
  doc bytea not null,
  state bigint not null,
  apply_time bigint not null,
  primary key (organization_id, id),
  foreign key (organization_id, project_id) references project (organization_id, id)
);
create index release_by_project on release (project_id, id);
create index release_by_time on release (state, apply_time, id);

create table release_item (
  organization_id text collate "C" not null,
  release_id text collate "C" not null,
  kind text collate "C" not null,
  resource_id text collate "C" not null,
  project_id text collate "C" not null,
  base bytea, -- null: the resource did not exist
  draft bytea, -- null: the draft deletes it
  is_forced bigint not null, -- 1: it is deleted although others refer to it
  account_id text collate "C" not null,
  update_time bigint not null,
  primary key (organization_id, release_id, kind, resource_id),
  foreign key (organization_id, release_id) references release (organization_id, id)
);
create index release_item_by_resource on release_item (organization_id, kind, resource_id);
