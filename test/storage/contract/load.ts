import { expect } from "vitest";
import type { Dataset } from "../../../demo/data/dataset-records.ts";
import { loadDataset } from "../../harness/load-dataset.ts";
import { listEventIds } from "../list-in-pages.ts";
import { ALPHA, createEvent, createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

/** Holds `load`, `isEmpty`, `ping` and `close`. */
export function loadContract(scenario: Scenario): void {
  scenario("a new store is empty and responds", undefined, async (store) => {
    expect(await store.isEmpty()).toBe(true);
    await store.readiness();
  });

  scenario("a loaded store is not empty", createSmallDataset(), async (store) => {
    expect(await store.isEmpty()).toBe(false);
    await store.readiness();
  });

  scenario("an empty dataset leaves the store empty", undefined, async (store) => {
    await loadDataset(store, createSmallDataset(NOTHING));
    expect(await store.isEmpty()).toBe(true);
  });

  scenario("more rows than one statement takes are loaded", MANY, async (store) => {
    expect((await listEventIds(store)).length).toBe(1_201);
  });

  scenario("what one store has loaded the next one reads", createSmallDataset(), async (_, all) => {
    const second = await all.openAnother();
    expect(await second.isEmpty()).toBe(false);
    expect((await second.in("acme").documents.annotation.get("annotation-1")).value.projectId).toBe(
      ALPHA,
    );
  });
}

const NOTHING: Dataset = {
  organizations: [],
  projects: [],
  accounts: [],
  bindings: [],
  entities: [],
  creativeWorks: [],
  events: [],
  videos: [],
  annotationTypes: [],
  annotations: [],
  bannerCollections: [],
  pages: [],
  rulesets: [],
  offers: [],
  transactions: [],
  signInIntegrations: [],
  others: [],
};

const MANY = createSmallDataset({
  events: Array.from({ length: 1_201 }, (_, index) => createEvent(`e-${index}`, {})),
});
