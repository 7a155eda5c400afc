import { expect } from "vitest";
import { Code } from "../../../src/domain/errors.ts";
import type { Dataset } from "../../../src/storage/dataset.ts";
import { ALPHA, createEvent, createSmallDataset, createTransaction } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

/** Holds `load`, `isEmpty`, `ping` and `close`. */
export function loadContract(scenario: Scenario): void {
  scenario("a new store is empty and answers", undefined, async (store) => {
    expect(await store.isEmpty()).toBe(true);
    await store.readiness();
  });

  scenario("a loaded store is not empty", createSmallDataset(), async (store) => {
    expect(await store.isEmpty()).toBe(false);
    await store.readiness();
  });

  scenario("an empty dataset leaves the store empty", undefined, async (store) => {
    await store.load(createSmallDataset(NOTHING));
    expect(await store.isEmpty()).toBe(true);
  });

  scenario("a store that is not empty takes no dataset", createSmallDataset(), async (store) => {
    await expect(store.load(createSmallDataset())).rejects.toMatchObject({
      code: Code.FAILED_PRECONDITION,
      reason: "DATABASE_NOT_EMPTY",
    });
    expect((await store.in("acme").documents.annotation.get("annotation-1")).revision).toBe(1);
  });

  for (const [fault, change, want] of FAULTS) {
    scenario(`a dataset with ${fault} leaves nothing behind`, undefined, async (store) => {
      await expect(store.load(createSmallDataset(change))).rejects.toMatchObject(want);
      expect(await store.isEmpty()).toBe(true);
      expect(await store.access.locate("entity", ["entity-1"], "acme")).toEqual([]);
      await store.load(createSmallDataset());
      expect((await store.in("acme").documents.annotation.get("annotation-1")).value.id).toBe(
        "annotation-1",
      );
    });
  }

  scenario("two loads at once: one wins, whole", undefined, async (store) => {
    const loads = await Promise.allSettled([
      store.load(createSmallDataset()),
      store.load(createSmallDataset()),
    ]);
    expect(loads.map((it) => it.status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await store.access.listProjectIds("acme")).toEqual([ALPHA, "beta"]);
  });

  scenario("more rows than one statement takes are loaded", MANY, async (store) => {
    const { entries } = await store.events.list({
      projectId: ALPHA,
      visibilities: [1],
      words: [],
      order: { field: "id", direction: "asc" },
      limit: 5_000,
      now: new Date(0),
    });
    expect(entries.length).toBe(1_201);
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
};

const MANY = createSmallDataset({
  events: Array.from({ length: 1_201 }, (_, index) => createEvent(`e-${index}`, {})),
});

const FAULTS: readonly (readonly [string, Partial<Dataset>, object])[] = [
  [
    "an id that is there twice",
    { transactions: [createTransaction("t", {}), createTransaction("t", {})] },
    { code: Code.ALREADY_EXISTS, reason: "ALREADY_EXISTS" },
  ],
  [
    "a reference to a project that does not exist",
    { events: [createEvent("e", { projectId: "nowhere" })] },
    { code: Code.NOT_FOUND, reason: "RESOURCE_NOT_FOUND" },
  ],
  [
    "a binding to a role that does not exist",
    { bindings: [{ accountId: "ann", roleId: "king", organizationId: "acme" }] },
    { code: Code.NOT_FOUND, reason: "RESOURCE_NOT_FOUND" },
  ],
  [
    "a transaction without a time of creation in the end",
    {
      transactions: [
        createTransaction("t-1", {}),
        {
          transaction: {
            ...createTransaction("t-2", {}).transaction,
            createTime: undefined,
          } as never,
          billingTransactionId: "b",
        },
      ],
    },
    { code: Code.INVALID_ARGUMENT, reason: "CREATE_TIME_REQUIRED" },
  ],
];
