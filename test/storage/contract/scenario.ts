import { test } from "vitest";
import type { Dataset } from "../../../demo/dataset-records.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import type { FreshStore, OpenFresh } from "../../harness/fresh-store.ts";

/** Runs a test on a fresh store that holds the dataset, or on an empty one. */
export type Scenario = (
  name: string,
  dataset: Dataset | undefined,
  run: (store: Store, fresh: FreshStore) => Promise<void>,
) => void;

/**
 * Creates the scenarios of an engine; each has a database of its own. Those that are named in `exceptions`, with the
 * reason, do not hold: they must fail.
 */
export function createScenario(
  openFresh: OpenFresh,
  exceptions: Readonly<Record<string, string>> = {},
): Scenario {
  return (name, dataset, run) => {
    const hold = name in exceptions ? test.fails : test;
    hold(name, async () => {
      const fresh = await openFresh(dataset);
      try {
        await run(fresh.store, fresh);
      } finally {
        await fresh.close();
      }
    });
  };
}
