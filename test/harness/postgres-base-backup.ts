import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { giveToServer, type PostgresServer, toDatabaseUrl } from "./postgres-server.ts";

/**
 * Copies the cluster of a running server, as `pg_basebackup` does, to a folder that does not exist. `withLog`: with its
 * write-ahead log, without which the copy starts only as a standby.
 */
export async function takeBaseBackup(
  { data, socketFolder }: Pick<PostgresServer, "data" | "socketFolder">,
  to: string,
  { withLog }: { readonly withLog: boolean },
): Promise<void> {
  mkdirSync(to);
  const client = new pg.Client({ connectionString: toDatabaseUrl(socketFolder, "postgres") });
  await client.connect();
  try {
    await client.query("select pg_backup_start('copy', true)");
    copyFiles(data, to, "--exclude=./postmaster.* --exclude=./pg_wal/* .");
    const { rows } = await client.query("select labelfile from pg_backup_stop(false)");
    writeFileSync(join(to, "backup_label"), rows[0].labelfile);
    if (withLog) copyFiles(data, to, "./pg_wal");
  } finally {
    await client.end();
  }
  giveToServer(to);
}

/** Files that go away meanwhile are not needed. */
function copyFiles(from: string, to: string, what: string): void {
  const copy = `tar -C '${from}' --warning=no-all -cf - ${what} | tar -C '${to}' -xf -`;
  execFileSync("sh", ["-c", copy], { stdio: "ignore" });
}
