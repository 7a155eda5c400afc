#!/usr/bin/env bash
# Runs once, when the primary is created: lets the standby copy it and follow it.
set -euo pipefail

psql --set ON_ERROR_STOP=1 --set password="$REPLICATION_PASSWORD" \
  --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" <<'SQL'
create role replication_user login replication password :'password';
select pg_create_physical_replication_slot('standby');
SQL
# `all` of the image's own line names no replication.
echo 'host replication replication_user all scram-sha-256' >>"$PGDATA/pg_hba.conf"
