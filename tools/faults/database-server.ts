import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { type DemoCredentials, issueDemoCredentials } from "../../demo/credentials.ts";
import { openPostgresStore } from "../../src/storage/postgres/open.ts";
import { takeBaseBackup } from "../../test/harness/postgres-base-backup.ts";
import { SOCKET_FOLDER } from "../../test/harness/postgres-databases.ts";
import {
  asUser,
  collect,
  createOpenFolder,
  findNative,
  toArguments,
  toDatabaseUrl,
  untilReady,
} from "../../test/harness/postgres-server.ts";

/** Writes are committed as in production; the files are in memory, so syncing them takes no time. */
const SETTINGS = ["fsync=on", "full_page_writes=on", "synchronous_commit=on"];

/** The database of the demo. */
const DATABASE = "demo";

/** Runs a server, and ends it when this process ends: the shell's standard input is then closed. */
const GUARD = '"$@" & server=$!; read -r _; kill -QUIT $server; wait $server';

/** A PostgreSQL server of a fault's own, with a database of the demo. */
export interface DatabaseServer {
  /** The value of `--database`. */
  readonly setting: string;
  /** The folder of its socket, and the folder of its cluster. */
  readonly socketFolder: string;
  readonly data: string;
  readonly credentials: DemoCredentials;
  /** Kills all its processes without notice. */
  kill(): Promise<void>;
  /** Ends it as `pg_ctl stop --mode immediate` does. */
  stop(): Promise<void>;
  /** Starts it after it ended; returns when it accepts connections. */
  start(): Promise<void>;
  /** Connects to its database as its superuser. */
  connect(): Promise<pg.Client>;
  close(): Promise<void>;
}

/** Starts a server, with further settings, over a copy of the cluster of the run. */
export async function startDatabaseServer(
  settings: readonly string[] = [],
): Promise<DatabaseServer> {
  const folder = createOpenFolder();
  const data = join(folder.path, "data");
  const socketFolder = process.env[SOCKET_FOLDER] ?? "";
  const running = { socketFolder, data: join(socketFolder, "data") };
  await takeBaseBackup(running, data, { withLog: true });
  const program = join(findNative(folder.path), "bin/postgres");
  const own = [...SETTINGS, ...settings].flatMap((it) => ["-c", it]);
  const args = [...toArguments(data, folder.path), ...own];
  const setting = toDatabaseUrl(folder.path, DATABASE);
  let shell: ChildProcess | undefined;

  async function end(signal: NodeJS.Signals, findPids: () => readonly number[]): Promise<void> {
    const all = listProcesses(data);
    for (const pid of findPids()) process.kill(pid, signal);
    // Processes of the server keep its memory for a moment, and it does not start until then.
    while (all.some(isRunning)) await setTimeout(2);
    if (shell?.exitCode !== null) return;
    shell.stdin?.end();
    await once(shell, "exit");
  }

  const server = {
    ...{ setting, socketFolder: folder.path, data },
    stop: () => end("SIGQUIT", () => listProcesses(data).slice(0, 1)),

    kill() {
      // Has no more children from here on.
      process.kill(listProcesses(data)[0] ?? 0, "SIGSTOP");
      return end("SIGKILL", () => listProcesses(data));
    },

    async start() {
      shell = spawn("sh", ["-c", GUARD, "sh", program, ...args], {
        ...asUser(),
        stdio: ["pipe", "ignore", "pipe"],
      });
      await untilReady(folder.path, shell, collect(shell));
    },

    async connect() {
      const client = new pg.Client({ connectionString: setting });
      client.on("error", () => {});
      await client.connect();
      return client;
    },

    async close() {
      await server.stop();
      folder.remove();
    },
  };
  await server.start();
  const store = await openPostgresStore({ engine: "postgres", url: setting });
  const credentials = await issueDemoCredentials(store, undefined, new Date());
  await store.close();
  return { ...server, credentials };
}

/** Lists the processes of a cluster, the one that all others are children of first. */
function listProcesses(data: string): readonly number[] {
  const pid = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return [pid, ...(children === "" ? [] : children.split(" ").map(Number))];
}

/** A process that ended may wait for its parent to take notice. */
function isRunning(pid: number): boolean {
  if (!existsSync(`/proc/${pid}/stat`)) return false;
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
