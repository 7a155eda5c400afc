import { join } from "node:path";
import { type DemoCredentials, issueDemoCredentials } from "../../demo/credentials.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import type { DatabaseLocation } from "../../src/storage/open.ts";
import { ENGINE } from "../../test/harness/engine.ts";
import { createFolder } from "../../test/harness/folder.ts";
import { openFresh } from "../../test/harness/fresh-store.ts";
import { createDatabase, dropDatabase } from "../../test/harness/postgres-databases.ts";

/** A database with the demo's data, for the processes of a fault. */
export interface FaultDatabase {
  /** The value of `--database`. */
  readonly setting: string;
  readonly address: DatabaseLocation;
  /** A store over it in this process. */
  readonly store: Store;
  readonly credentials: DemoCredentials;
  close(): Promise<void>;
}

/** Creates a database with the demo. */
export async function createDemoDatabase(): Promise<FaultDatabase> {
  const { store, address, close } = await openFresh("demo");
  const credentials = await issueDemoCredentials(store, undefined, new Date());
  return { setting: toSetting(address), address, store, credentials, close };
}

/** An empty database, without its schema. */
export interface BareDatabase {
  /** The value of `--database`. */
  readonly setting: string;
  remove(): Promise<void> | void;
}

/** Creates a bare database; on SQLite, neither its file nor the folder exists. */
export async function createBareDatabase(): Promise<BareDatabase> {
  if (ENGINE === "sqlite") {
    const { path, remove } = createFolder();
    return { setting: `sqlite:${join(path, "new", "marquee.db")}`, remove };
  }
  const { name, url } = await createDatabase("template0");
  return { setting: url, remove: () => dropDatabase(name) };
}

function toSetting(address: DatabaseLocation): string {
  return address.engine === "sqlite" ? `sqlite:${address.path}` : address.url;
}
