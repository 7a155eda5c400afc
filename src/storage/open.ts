import { openSqliteStore } from "./sqlite/open.ts";
import type { Store } from "./store.ts";

/** Where the data lies. */
export type DatabaseAddress = { readonly engine: "sqlite"; readonly path: string };

/** Opens the store of whatever engine the address names. */
export function openStore(address: DatabaseAddress): Store {
  return openSqliteStore(address.path);
}
