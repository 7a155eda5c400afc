import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { type DemoCredentials, issueDemoCredentials } from "../../src/demo/credentials.ts";
import { openPostgresStore } from "../../src/storage/postgres/open.ts";
import { SOCKET_FOLDER } from "../harness/postgres-databases.ts";
import {
  answers,
  asUser,
  collect,
  createOpenFolder,
  findNative,
  toArguments,
  toDatabaseUrl,
} from "../harness/postgres-server.ts";

/** Writes are committed as in production; the files are in memory, so syncing them takes no time. */
const SETTINGS = ["fsync=on", "full_page_writes=on", "synchronous_commit=on"];

/** The database of the demo. */
const DATABASE = "demo";

/** Runs a server, and ends it when this process ends: the shell's standard input is then closed. */
const GUARD = '"$@" & server=$!; read -r _; kill -QUIT $server; wait $server';

/** A PostgreSQL server of a fault's own, with a database that holds the demo. */
export interface DatabaseServer {
  /** The value of `--database`. */
  readonly setting: string;
  /** The folder of its socket, and that of its cluster. */
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
  await copyCluster(process.env[SOCKET_FOLDER] ?? "", data);
  const program = join(findNative(folder.path), "bin/postgres");
  const own = [...SETTINGS, ...settings].flatMap((it) => ["-c", it]);
  const args = [...toArguments(data, folder.path), ...own];
  const setting = toDatabaseUrl(folder.path, DATABASE);
  let shell: ChildProcess | undefined;

  async function end(pids: readonly number[], signal: NodeJS.Signals): Promise<void> {
    const all = listProcesses(data);
    for (const pid of pids) process.kill(pid, signal);
    // Processes of the server hold its memory for a moment, and it does not start meanwhile.
    while (all.some(isRunning)) await setTimeout(2);
    shell?.stdin?.end();
  }

  const server = {
    ...{ setting, socketFolder: folder.path, data },
    kill: () => end(listProcesses(data), "SIGKILL"),
    stop: () => end(listProcesses(data).slice(0, 1), "SIGQUIT"),

    async start() {
      shell = spawn("sh", ["-c", GUARD, "sh", program, ...args], {
        ...asUser(),
        stdio: ["pipe", "ignore", "pipe"],
      });
      await answers(folder.path, shell, collect(shell));
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

/** Copies the files of a running server, as a base backup does. */
async function copyCluster(socketFolder: string, to: string): Promise<void> {
  const from = join(socketFolder, "data");
  // Files that go away meanwhile are not needed.
  const copy = (what: string) =>
    execFileSync("sh", [
      "-c",
      `tar -C '${from}' --warning=no-all -cf - ${what} | tar -C '${to}' -xf -`,
    ]);
  mkdirSync(to);
  const client = new pg.Client({ connectionString: toDatabaseUrl(socketFolder, "postgres") });
  await client.connect();
  try {
    await client.query("select pg_backup_start('copy', true)");
    copy("--exclude=./postmaster.* --exclude=./pg_wal/0* .");
    const { rows } = await client.query("select labelfile from pg_backup_stop(false)");
    writeFileSync(join(to, "backup_label"), rows[0].labelfile);
    copy("./pg_wal");
  } finally {
    await client.end();
  }
  chmodSync(to, 0o700);
  const { uid, gid } = asUser();
  if (uid !== undefined) execFileSync("chown", ["-R", `${uid}:${gid}`, to]);
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
