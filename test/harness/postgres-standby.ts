import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { takeBaseBackup } from "./postgres-base-backup.ts";
import {
  asUser,
  collect,
  giveToServer,
  type PostgresServer,
  toArguments,
  toDatabaseUrl,
  untilReady,
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
  /** Kills all its processes without notice, if they run: left alone, they look for the primary all the time. */
  kill(): Promise<void>;
  /** Starts it again after it was killed. */
  start(): Promise<void>;
}

let created = 0;

/** Copies the cluster of a running server and starts the copy as its standby, or as a server of its own. */
export async function startStandby(
  primary: PostgresServer,
  { isAlone = false } = {},
): Promise<Standby> {
  created += 1;
  const socketFolder = join(primary.socketFolder, `standby-${created}`);
  const data = join(socketFolder, "data");
  mkdirSync(socketFolder);
  // Its own log comes by streaming.
  await takeBaseBackup(primary, data, { withLog: isAlone });
  if (!isAlone) writeFileSync(join(data, "standby.signal"), "");
  giveToServer(socketFolder);
  const primaryUrl = toDatabaseUrl(primary.socketFolder, "postgres");
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
      // What was committed without waiting for the log is not counted until it is written.
      const flush = "set synchronous_commit = on; select pg_logical_emit_message(true, '', '')";
      await runStatement(primaryUrl, flush);
      const { rows } = await runStatement(primaryUrl, "select pg_current_wal_lsn()::text as lsn");
      // Waits in one statement: to ask again and again takes a new process of the server each time.
      await standby.run(`do $$ begin
        for _ in 1..2000 loop
          if pg_last_wal_replay_lsn() >= '${rows[0].lsn}' then return; end if;
          perform pg_sleep(0.005);
        end loop;
        raise 'the standby does not replay';
      end $$`);
    },

    stop: () => signal("SIGSTOP"),
    continue: () => signal("SIGCONT"),

    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
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
          await untilReady(socketFolder, child, collect(child));
          return;
        } catch (error) {
          // Processes of a killed server hold its memory for a moment.
          if (attempt === 5) throw error;
        }
      }
    },
  };
  await standby.start();
  return standby;
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
