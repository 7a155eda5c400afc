import { afterAll, beforeAll, test } from "vitest";
import type { Dataset } from "../../../demo/data/dataset-records.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import type { FreshStore, OpenFresh } from "../../harness/fresh-store.ts";

type Run = (store: Store, fresh: FreshStore) => Promise<void>;

/** Runs a test on a fresh store that holds the dataset, or on an empty one. */
export interface Scenario {
  (name: string, dataset: Dataset | undefined, run: Run): void;
  /**
   * Opens one store for tests of a `describe` that only read, or that write under ids of their own: to open a store
   * takes longer than most tests.
   */
  share(dataset: Dataset): SharedScenario;
}

/** Runs a test on a store that it shares with others. */
export type SharedScenario = (name: string, run: Run) => void;

/**
 * Creates the scenarios of an engine. Those that are named in `exceptions`, with the reason, do not hold: they must
 * fail.
 */
export function createScenario(
  openFresh: OpenFresh,
  exceptions: Readonly<Record<string, string>> = {},
): Scenario {
  const hold = (name: string) => (name in exceptions ? test.fails : test);
  const scenario = (name: string, dataset: Dataset | undefined, run: Run) => {
    hold(name)(name, async () => {
      const fresh = await openFresh(dataset);
      try {
        await run(fresh.store, fresh);
      } finally {
        await fresh.close();
      }
    });
  };
  return Object.assign(scenario, {
    share(dataset: Dataset): SharedScenario {
      let fresh: FreshStore;
      beforeAll(async () => {
        fresh = await openFresh(dataset);
      });
      afterAll(() => fresh.close());
      return (name, run) => hold(name)(name, () => run(fresh.store, fresh));
    },
  });
}
