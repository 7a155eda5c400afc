-- Processes of the release before: must stop, because they store accounts without their e-mail

-- How the people of an organization sign in to the studio. Never exported.
create table staff_sign_in (
  organization_id text collate "C" primary key references organization (id),
  revision bigint not null,
  doc bytea not null, -- without the secret
  secret text collate "C" not null -- empty: none
);
alter table account add column email text collate "C" not null default ''; -- in lower case; empty: none
alter table account add column identity text collate "C" not null default ''; -- issuer and subject of the last sign-in
create unique index account_by_email on account (organization_id, email) where email <> '';
create unique index account_by_identity on account (organization_id, identity) where identity <> '';
