import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Dataset } from "../../demo/data/dataset-records.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import type { DatabaseLocation } from "../../src/storage/open.ts";
import { openPostgresStore } from "../../src/storage/postgres/open.ts";
import { openSqliteStore, type SqliteOptions } from "../../src/storage/sqlite/open.ts";
import { ENGINE, type EngineName } from "./engine.ts";
import { createFolder } from "./folder.ts";
import { endKept, KeptClient } from "./kept-client.ts";
import { loadDataset } from "./load-dataset.ts";
import { createDatabase, dropDatabase } from "./postgres-databases.ts";
import { takeDatabase } from "./reused-database.ts";
import { copyTemplate, FILES, type Template } from "./template-databases.ts";

export { ENGINE } from "./engine.ts";

/** A store over a database of its own. */
export interface FreshStore {
  readonly store: Store;
  readonly address: DatabaseLocation;
  /** Opens one more store over the same database, as a second process would. */
  openAnother(): Promise<Store>;
  /** Closes every store of the database and deletes it. */
  close(): Promise<void>;
}

/** Creates a database of an engine, with a store over it; it is empty without data. */
export type OpenFresh = (content?: Template | Dataset) => Promise<FreshStore>;

/** Opens a store of an engine over a new database. */
export const OPEN_FRESH: Readonly<Record<EngineName, OpenFresh>> = {
  sqlite: openFreshSqlite,
  postgres: openFreshPostgres,
};

/** Opens a store of {@link ENGINE} over a new database. */
export const openFresh: OpenFresh = OPEN_FRESH[ENGINE];

/** Returns the path of a database file. */
export function pathOf(address: DatabaseLocation): string {
  if (address.engine === "sqlite") return address.path;
  throw new Error("the database is no file");
}

/** What these databases hold need not survive the machine. */
const RELAXED: SqliteOptions = { synchronous: "OFF" };

async function openFreshSqlite(content: Template | Dataset = "empty"): Promise<FreshStore> {
  const folder = createFolder();
  const path = join(folder.path, "marquee.db");
  if (typeof content === "string") copyTemplate(content, path);
  else await createLoaded(path, content);
  const open = () => openSqliteStore(path, RELAXED);
  const store = open();
  const stores = [store];
  return {
    store,
    address: { engine: "sqlite", path },
    async openAnother() {
      const another = open();
      stores.push(another);
      return another;
    },
    async close() {
      for (const each of stores) await each.close();
      folder.remove();
    },
  };
}

/** The files of a database that holds a dataset: to write them takes less time than to load it again. */
const loaded = new WeakMap<Dataset, readonly Buffer[]>();

async function createLoaded(path: string, dataset: Dataset): Promise<void> {
  const files = loaded.get(dataset);
  if (files !== undefined) {
    files.forEach((bytes, index) => {
      writeFileSync(`${path}${FILES[index]}`, bytes);
    });
    return;
  }
  copyTemplate("empty", path);
  const store = openSqliteStore(path, RELAXED);
  await loadDataset(store, dataset);
  await store.close();
  loaded.set(
    dataset,
    FILES.map((suffix) => readFileSync(`${path}${suffix}`)),
  );
}

async function openFreshPostgres(content: Template | Dataset = "empty"): Promise<FreshStore> {
  const { url, giveBack } =
    content === "demo"
      ? await createDemoDatabase()
      : await takeDatabase(content === "empty" ? undefined : content);
  const address: DatabaseLocation = { engine: "postgres", url };
  const stores: Store[] = [];
  const openAnother = async () => {
    const another = await openPostgresStore(address, { Client: KeptClient });
    stores.push(another);
    return another;
  };
  return {
    store: await openAnother(),
    address,
    openAnother,
    async close() {
      for (const each of stores) await each.close();
      await giveBack();
    },
  };
}

async function createDemoDatabase() {
  const { name, url } = await createDatabase("demo");
  return {
    url,
    async giveBack() {
      await endKept(url);
      await dropDatabase(name);
    },
  };
}
