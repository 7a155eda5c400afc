#!/usr/bin/env bash
# Copies the primary when the standby has no data yet, then follows it.
set -euo pipefail

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  # An interrupted copy starts again.
  rm -rf "$PGDATA"
  PGPASSWORD="$REPLICATION_PASSWORD" pg_basebackup --pgdata "$PGDATA" --wal-method stream \
    --slot standby --write-recovery-conf --checkpoint fast \
    --dbname 'host=primary user=replication_user application_name=standby'
  chmod 0700 "$PGDATA"
fi
# Reads of the standby do not hold back the primary's clean-up; a read that is in its way is sent to the primary.
exec postgres -c hot_standby=on
