import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "../../src/storage/sqlite/open.ts";
import type { FreshStore } from "./contract/scenario.ts";

/** Makes a folder of its own for a test, and deletes it in the end. */
export function createFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "marquee-store-"));
  return { path, remove: () => rmSync(path, { recursive: true }) };
}

/** Opens a store over a new SQLite file. */
export async function openFreshSqlite(): Promise<FreshStore> {
  const folder = createFolder();
  const file = join(folder.path, "marquee.db");
  const store = openSqliteStore(file);
  const stores = [store];
  return {
    store,
    async openAnother() {
      const another = openSqliteStore(file);
      stores.push(another);
      return another;
    },
    async close() {
      for (const each of stores) await each.close();
      folder.remove();
    },
  };
}
