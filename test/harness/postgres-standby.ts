import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import {
  answers,
  asUser,
  collect,
  type PostgresServer,
  toArguments,
  toDatabaseUrl,
} from "./postgres-server.ts";

/** A server that replicates another one by streaming. Its files are in the folder of that one. */
export interface Standby {
  /** The folder of its socket. */
  readonly socketFolder: string;
  /** Runs a statement as its superuser. */
  run(statement: string): Promise<pg.QueryResult>;
  /** Waits until it has replayed what the primary had written before. */
  catchUp(): Promise<void>;
  /** Lets all its processes hang, and continue. */
  stop(): void;
  continue(): void;
  /** Kills all its processes without notice. */
  kill(): Promise<void>;
  /** Starts it again after it was killed. */
  start(): Promise<void>;
}

let created = 0;

/** Copies the cluster of a running server and starts the copy as its standby. */
export async function startStandby(primary: PostgresServer): Promise<Standby> {
  created += 1;
  const socketFolder = join(primary.socketFolder, `standby-${created}`);
  const data = join(socketFolder, "data");
  mkdirSync(data, { recursive: true });
  const primaryUrl = toDatabaseUrl(primary.socketFolder, "postgres");
  await copyCluster(primary, data);
  writeFileSync(join(data, "standby.signal"), "");
  if (asUser().uid !== undefined) {
    execFileSync("chown", ["-R", `${asUser().uid}:${asUser().gid}`, socketFolder]);
  }
  chmodSync(data, 0o700);
  const conninfo = `host=${primary.socketFolder} user=marquee`;
  let child: ChildProcess;

  function signal(name: "SIGCONT" | "SIGSTOP"): void {
    const { pid = 0 } = child;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
    for (const each of [pid, ...children.map(Number)]) process.kill(each, name);
  }

  const standby: Standby = {
    socketFolder,
    run: (statement) => runStatement(toDatabaseUrl(socketFolder, "postgres"), statement),

    async catchUp() {
      const { rows } = await runStatement(primaryUrl, "select pg_current_wal_lsn()::text as lsn");
      const isReplayed = `select pg_last_wal_replay_lsn() >= '${rows[0].lsn}' as done`;
      const end = performance.now() + 10_000;
      while (!(await standby.run(isReplayed)).rows[0].done) {
        if (performance.now() > end) throw new Error("the standby does not replay");
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },

    stop: () => signal("SIGSTOP"),
    continue: () => signal("SIGCONT"),

    async kill() {
      // The others end with the first one.
      child.kill("SIGKILL");
      await once(child, "exit");
    },

    async start() {
      for (let attempt = 1; ; attempt += 1) {
        child = spawn(
          join(primary.native, "bin/postgres"),
          [
            ...toArguments(data, socketFolder),
            ...["-c", `primary_conninfo=${conninfo}`, "-c", "wal_retrieve_retry_interval=100ms"],
          ],
          { ...asUser(), stdio: ["ignore", "ignore", "pipe"] },
        );
        try {
          await answers(socketFolder, child, collect(child));
          return;
        } catch (fault) {
          // Processes of a killed server hold its memory for a moment.
          if (attempt === 5) throw fault;
        }
      }
    },
  };
  await standby.start();
  return standby;
}

/** Copies the files of a running cluster, as a base backup does; the log is streamed from its start. */
async function copyCluster({ data, socketFolder }: PostgresServer, to: string): Promise<void> {
  const client = new pg.Client({ connectionString: toDatabaseUrl(socketFolder, "postgres") });
  await client.connect();
  try {
    await client.query("select pg_backup_start('standby', true)");
    const excluded = ["./pg_wal/*", "./postmaster.pid", "./postmaster.opts"];
    const exclude = excluded.map((it) => `--exclude=${it}`).join(" ");
    // Files that go away meanwhile are not needed.
    const copy = `tar -C '${data}' --warning=no-all ${exclude} -cf - . | tar -C '${to}' -xf -`;
    execFileSync("sh", ["-c", copy], { stdio: "ignore" });
    const { rows } = await client.query("select labelfile from pg_backup_stop(false)");
    writeFileSync(join(to, "backup_label"), rows[0].labelfile);
  } finally {
    await client.end();
  }
}

async function runStatement(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(statement);
  } finally {
    await client.end();
  }
}
