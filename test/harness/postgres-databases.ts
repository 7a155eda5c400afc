import { randomBytes } from "node:crypto";
import pg from "pg";
import { moveDatabase, openStore } from "../../src/storage/open.ts";
import { startPostgres, toDatabaseUrl } from "./postgres-server.ts";
import { templatePath } from "./template-databases.ts";

/** The variable that names the folder of the server's socket, in which its cluster is as well. */
export const SOCKET_FOLDER = "MARQUEE_TEST_POSTGRES";

/** A database of a test. */
export interface TestDatabase {
  readonly name: string;
  readonly url: string;
}

/**
 * Starts the server of the whole run and creates the databases that tests copy, one of them from the template on
 * SQLite; returns how to stop it.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  // Another project of the same run has done so.
  if (process.env[SOCKET_FOLDER] !== undefined) return undefined;
  const server = await startPostgres();
  process.env[SOCKET_FOLDER] = server.socketFolder;
  try {
    await createDatabase("template0", "empty");
    const empty = await openStore(toAddress("empty"));
    await empty.close();
    await createDatabase("empty", "demo");
    // In less time than the demo's data would be loaded again.
    const demo = { engine: "sqlite", path: templatePath("demo") } as const;
    await moveDatabase(demo, toAddress("demo"), {});
  } catch (error) {
    await server.stop();
    throw error;
  }
  return async () => {
    delete process.env[SOCKET_FOLDER];
    await administrator?.end();
    await server.stop();
  };
}

/** Creates a copy of a database. */
export async function createDatabase(
  template: string,
  name = `test_${randomBytes(8).toString("hex")}`,
): Promise<TestDatabase> {
  await administrate(`create database ${name} template ${template} strategy file_copy`);
  return { name, url: toAddress(name).url };
}

/** Deletes a database. */
export async function dropDatabase(name: string): Promise<void> {
  await administrate(`drop database ${name} with (force)`);
}

/** Runs statements on a connection of their own and returns the rows of the last one. */
export async function queryDatabase(
  url: string,
  statement: string,
  values?: unknown[],
  // biome-ignore lint/suspicious/noExplicitAny: each statement has columns of its own.
): Promise<any[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement, values)).rows;
  } finally {
    await client.end();
  }
}

/** The connection that creates and deletes databases. */
let administrator: pg.Pool | undefined;

async function administrate(statement: string): Promise<void> {
  if (administrator === undefined) {
    administrator = new pg.Pool({
      connectionString: toAddress("postgres").url,
      max: 1,
      allowExitOnIdle: true,
    });
    // The server may end before this process.
    administrator.on("error", () => {});
  }
  await administrator.query(statement);
}

function toAddress(name: string) {
  const folder = process.env[SOCKET_FOLDER];
  if (folder === undefined) throw new Error("vitest runs test/harness/postgres-databases.ts first");
  return { engine: "postgres", url: toDatabaseUrl(folder, name) } as const;
}
