import { spawn } from "node:child_process";
import { accessSync, chownSync, constants, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { SESSION } from "../../src/storage/postgres/client-settings.ts";
import { createFolder } from "../../test/harness/folder.ts";
import { findFreePort } from "../../test/harness/free-port.ts";
import { asUser } from "../../test/harness/postgres-server.ts";
import { type DatabaseServer, startDatabaseServer } from "./database-server.ts";
import type { Fault } from "./fault.ts";
import { OUTBOX_FLAGS, startOutboxLoad } from "./outbox-load.ts";
import { startReaders } from "./readers.ts";
import { startService } from "./service.ts";

/** The program of Debian's package `pgbouncer`. */
const PROGRAM = "/usr/sbin/pgbouncer";

/** The connections of the pooler to the database, fewer than two processes open to the pooler. */
const CONNECTIONS = 8;

/** Runs two processes behind a pooler that gives each transaction another connection. */
export const fault: Fault = {
  title: "a transaction pooler in front of the database",
  engines: ["postgres"],

  async run(run) {
    if (!isInstalled()) {
      run.report("skipped", `there is no ${PROGRAM}`);
      return;
    }
    const server = await startDatabaseServer();
    const client = await server.connect();
    for (const [name, value] of Object.entries(SESSION)) {
      await client.query(`alter role marquee set ${name} = '${value}'`);
    }
    const pooler = await startPooler(server);
    const database = `${pooler.url}?prepare=false`;
    const services = await Promise.all(
      [0, 1].map(() => startService({ database, flags: OUTBOX_FLAGS })),
    );
    const [first, second] = services as [(typeof services)[0], (typeof services)[0]];
    const { owner: token } = server.credentials.accounts;
    const key = server.credentials.projects[0]?.public_key ?? "";
    const load = await startOutboxLoad(first.url, token);
    const readers = startReaders(second.url, key, 4);
    let most = 0;
    const end = performance.now() + (run.isQuick ? 5_000 : 30_000);
    while (performance.now() < end) {
      const { rows } = await client.query(
        "select count(*)::int as count from pg_stat_activity where application_name = 'marquee'",
      );
      most = Math.max(most, rows[0].count);
      await setTimeout(200);
    }
    await readers.stop();
    const { count, failures, percentile } = readers;
    run.check(`failed reads, of ${count()}`, failures(), count() > 0 && failures() === 0);
    run.report(
      "p50 and p99 of reads in ms",
      [0.5, 0.99].map((it) => Math.round(percentile(it))).join(", "),
    );
    const rejected = load.writers.unavailable();
    run.check("writes with status 503", rejected, rejected === 0);
    await load.finish(run);
    run.check(
      `connections to the database, at most ${CONNECTIONS}`,
      most,
      most > 0 && most <= CONNECTIONS,
    );
    for (const service of services) {
      run.check("exit code", `${await service.stop()}`, (await service.finished).code === 0);
    }
    await pooler.stop();
    await client.end();
    await server.close();
  },
};

function isInstalled(): boolean {
  try {
    accessSync(PROGRAM, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function startPooler({ socketFolder }: DatabaseServer) {
  const folder = createFolder({ isOutside: true });
  const port = await findFreePort();
  const file = join(folder.path, "pgbouncer.ini");
  const settings = [
    "[databases]",
    `demo = host=${socketFolder} dbname=demo user=marquee`,
    "[pgbouncer]",
    ...["listen_addr = 127.0.0.1", `listen_port = ${port}`, "unix_socket_dir ="],
    ...["auth_type = any", "pool_mode = transaction", `default_pool_size = ${CONNECTIONS}`],
  ];
  writeFileSync(file, `${settings.join("\n")}\n`);
  const { uid, gid } = asUser();
  if (uid !== undefined) {
    for (const path of [folder.path, file]) chownSync(path, uid, gid ?? uid);
  }
  const child = spawn(PROGRAM, [file], { ...asUser(), stdio: "ignore" });
  const url = `postgres://marquee@127.0.0.1:${port}/demo`;
  for (let attempt = 0; ; attempt += 1) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      break;
    } catch (fault) {
      if (attempt === 500 || child.exitCode !== null) throw fault;
      await setTimeout(20);
    } finally {
      await client.end().catch(() => {});
    }
  }
  return {
    url,
    async stop() {
      const isOver = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await isOver;
      folder.remove();
    },
  };
}
