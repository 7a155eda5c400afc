-- Processes of the release before: may run

create table history (
  project_id text collate "C" not null, -- empty: the resource belongs to none
  revision bigint not null,
  part bigint not null,
  organization_id text collate "C" not null,
  id text collate "C" not null, -- that of the audit entry
  time bigint not null,
  account_id text collate "C" not null,
  kind text collate "C" not null,
  resource_id text collate "C" not null,
  paths text collate "C" not null, -- JSON: the changed paths of a resource that alone was updated; otherwise empty
  before bytea, -- the record before; null: there was none, or none is kept
  doc bytea, -- the change without values, in its first row
  primary key (project_id, revision, part)
);
create index history_by_id on history (organization_id, id, part);
create index history_by_resource on history (project_id, kind, resource_id, revision, part);
