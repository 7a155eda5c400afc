import { test } from "vitest";
import type { Dataset } from "../../../src/storage/dataset.ts";
import type { Store } from "../../../src/storage/store.ts";

/** A store over a database of its own. */
export interface FreshStore {
  readonly store: Store;
  /** Opens one more store over the same database, as a second process would. */
  openAnother(): Promise<Store>;
  /** Closes every store of the database and deletes it. */
  close(): Promise<void>;
}

/** Makes an empty database of an engine, with a store over it. */
export type OpenFresh = () => Promise<FreshStore>;

/** Runs a test on a fresh store that holds the dataset, or on an empty one. */
export type Scenario = (
  name: string,
  dataset: Dataset | undefined,
  run: (store: Store, fresh: FreshStore) => Promise<void>,
) => void;

/** Creates the scenarios of an engine; each has a database of its own. */
export function createScenario(openFresh: OpenFresh): Scenario {
  return (name, dataset, run) => {
    test(name, async () => {
      const fresh = await openFresh();
      try {
        if (dataset !== undefined) await fresh.store.load(dataset);
        await run(fresh.store, fresh);
      } finally {
        await fresh.close();
      }
    });
  };
}
