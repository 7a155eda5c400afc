import { randomBytes } from "node:crypto";
import pg from "pg";
import { createDemoDataset } from "../../src/demo/dataset.ts";
import { createSecret } from "../../src/outbox/signature.ts";
import { openPostgresStore } from "../../src/storage/postgres/open.ts";
import { startPostgres, toDatabaseUrl } from "./postgres-server.ts";

/** The variable that names the folder of the server's socket, in which its cluster is as well. */
export const SOCKET_FOLDER = "MARQUEE_TEST_POSTGRES";

/** A database of a test. */
export interface TestDatabase {
  readonly name: string;
  readonly url: string;
}

/** Starts the server of the whole run and creates the databases that tests copy; returns how to stop it. */
export async function setUpPostgres(): Promise<() => Promise<void>> {
  const server = await startPostgres();
  process.env[SOCKET_FOLDER] = server.socketFolder;
  try {
    await createDatabase("template0", "empty");
    const empty = await openPostgresStore(toAddress("empty"));
    await empty.close();
    await createDatabase("empty", "demo");
    const demo = await openPostgresStore(toAddress("demo"));
    await demo.load(createDemoDataset(), () => createSecret(randomBytes));
    await demo.close();
  } catch (fault) {
    await server.stop();
    throw fault;
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
  await administrate(`create database ${name} template ${template}`);
  return { name, url: toAddress(name).url };
}

/** Deletes a database. */
export async function dropDatabase(name: string): Promise<void> {
  await administrate(`drop database ${name} with (force)`);
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
  if (folder === undefined) throw new Error("vitest runs test/harness/template-databases.ts first");
  return { engine: "postgres", url: toDatabaseUrl(folder, name) } as const;
}
