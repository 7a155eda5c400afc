import { type DatabaseAddress, openStore } from "../storage/open.ts";
import type { Store } from "../storage/store.ts";

/** Runs a step on an existing database, and closes it. NOT_FOUND `DATABASE_MISSING` if there is none. */
export async function withStore<T>(
  database: DatabaseAddress,
  run: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await openStore(database, { mustExist: true });
  try {
    return await run(store);
  } finally {
    await store.close();
  }
}
