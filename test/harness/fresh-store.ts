import { join } from "node:path";
import type { DatabaseAddress } from "../../src/storage/open.ts";
import { openSqliteStore } from "../../src/storage/sqlite/open.ts";
import type { Store } from "../../src/storage/store.ts";
import { createFolder } from "./folder.ts";
import { copyTemplate, type Template } from "./template-databases.ts";

/** A store over a database of its own. */
export interface FreshStore {
  readonly store: Store;
  readonly address: DatabaseAddress;
  /** Opens one more store over the same database, as a second process would. */
  openAnother(): Promise<Store>;
  /** Closes every store of the database and deletes it. */
  close(): Promise<void>;
}

/** Creates a database of an engine, with a store over it. */
export type OpenFresh = (template?: Template) => Promise<FreshStore>;

const ENGINES: Readonly<Record<string, OpenFresh>> = { sqlite: openFreshSqlite };

/** The storage engine that tests run on. */
export const ENGINE = process.env.MARQUEE_TEST_ENGINE ?? "sqlite";

/** Opens a store of {@link ENGINE} over a new database, which is empty or holds the demo's data. */
export const openFresh: OpenFresh = findEngine(ENGINE);

function findEngine(name: string): OpenFresh {
  const engine = ENGINES[name];
  if (engine !== undefined) return engine;
  const known = Object.keys(ENGINES).join(", ");
  throw new Error(`MARQUEE_TEST_ENGINE is '${name}', which is none of: ${known}`);
}

async function openFreshSqlite(template: Template = "empty"): Promise<FreshStore> {
  const folder = createFolder();
  const path = join(folder.path, "marquee.db");
  copyTemplate(template, path);
  // What these databases hold need not survive the machine.
  const open = () => openSqliteStore(path, { synchronous: "OFF" });
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
