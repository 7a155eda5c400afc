-- Processes of the release before: must stop, because they store accounts without their e-mail

-- How the people of an organization sign in to the studio. Never exported.
CREATE TABLE staff_sign_in (
  organization_id TEXT PRIMARY KEY REFERENCES organization (id),
  revision INTEGER NOT NULL,
  doc BLOB NOT NULL, -- without the secret
  secret TEXT NOT NULL -- empty: none
) STRICT;
ALTER TABLE account ADD COLUMN email TEXT NOT NULL DEFAULT ''; -- in lower case; empty: none
ALTER TABLE account ADD COLUMN identity TEXT NOT NULL DEFAULT ''; -- issuer and subject of the last sign-in
CREATE UNIQUE INDEX account_by_email ON account (organization_id, email) WHERE email <> '';
CREATE UNIQUE INDEX account_by_identity ON account (organization_id, identity) WHERE identity <> '';
