import { join } from "node:path";
import type { ServerOptions } from "../../src/server.ts";
import type { DatabaseLocation } from "../../src/storage/open.ts";
import { openSqliteStore } from "../../src/storage/sqlite/open.ts";
import { createFolder, type Folder } from "./folder.ts";
import { startOver } from "./marquee.ts";
import { MARQUEE, type Running, type StartOptions, start } from "./process.ts";
import { copyTemplate } from "./template-databases.ts";

/** A folder for one test's files, with the paths of the two that the service makes. */
export interface ServiceFolder extends Folder {
  readonly database: string;
  readonly demoFile: string;
}

/** Makes a folder, with the demo's data in its database unless turned off. */
export function makeFolder({ empty = false } = {}): ServiceFolder {
  const folder = createFolder();
  const database = join(folder.path, "x.db");
  if (!empty) copyTemplate("demo", database);
  return { ...folder, database, demoFile: join(folder.path, "demo.json") };
}

/** The URLs of a service. */
export interface ServiceUrls {
  readonly studioUrl: string;
  readonly deliveryUrl: string;
}

/** Starts a service without a demo in this process, for tests of what is beside it: a process takes longer. */
export async function serveHere(
  { database }: ServiceFolder,
  options: Partial<ServerOptions> = {},
): Promise<ServiceUrls & { stop(): Promise<void> }> {
  const store = openSqliteStore(database);
  const { studioUrl, deliveryUrl, close } = await startOver(store, options);
  return {
    studioUrl,
    deliveryUrl,
    async stop() {
      await close(1_000);
      await store.close();
    },
  };
}

/** A service in a process of its own. */
export interface ServiceProcess extends Running, ServiceUrls {
  /** Ends it as an operator does; returns its exit code. */
  stop(): Promise<number | null>;
}

/** Starts `marquee serve` on a free port and waits until it prints its URLs. */
export async function serveProcess(
  folder: ServiceFolder,
  args: readonly string[] = ["--demo"],
  env: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const address = { engine: "sqlite", path: folder.database } as const;
  const flags = ["--demo-file", folder.demoFile, ...args];
  const service = await serveDatabase(address, flags, { cwd: folder.path, env });
  if (args.includes("--demo")) await service.printed(/by reflection\n.*\n.*\n/);
  return service;
}

/** Starts `marquee serve` over a database on a free port and waits until it prints its URLs. */
export async function serveDatabase(
  address: DatabaseLocation,
  args: readonly string[] = [],
  { env = {}, ...options }: StartOptions = {},
): Promise<ServiceProcess> {
  const database = address.engine === "sqlite" ? `sqlite:${address.path}` : address.url;
  const flags = ["--listen", "127.0.0.1:0", "--database", database, ...args];
  const running = start(MARQUEE.program, MARQUEE.args("serve", ...flags), {
    ...options,
    env: { ...MARQUEE.env, ...env },
  });
  const [, studioUrl = "", deliveryUrl = ""] = await running.printed(
    /Studio API {4}(\S+)\n {2}Delivery API {2}(\S+)\n/,
  );
  return {
    ...running,
    studioUrl,
    deliveryUrl,
    async stop() {
      running.child.kill("SIGTERM");
      return (await running.finished).code;
    },
  };
}
