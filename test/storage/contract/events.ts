import { toJsonString } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import type { OrderPlace } from "../../../src/domain/base/paging.ts";
import { DEFAULT_ORDERS } from "../../../src/domain/content/order.ts";
import type { ContentQuery } from "../../../src/storage/contract/content-store.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { createEndlessBudget } from "../slow-budget.ts";
import { ALPHA, createEvent, createSmallDataset } from "../small-dataset.ts";
import { expectPages, type ListIds } from "./paging.ts";
import type { Scenario } from "./scenario.ts";

const { PUBLISHED, HIDDEN } = Visibility;

/** Holds the list of events: order, paging and visibility. */
export function eventContract(scenario: Scenario): void {
  scenario("events come by start time, unset last, ties by code points", MANY, async (store) => {
    await expectPages(listIds(store), ORDERED, [
      [{ key: -9e16, id: "" }, ORDERED],
      [{ key: 100_000_000, id: "A!" }, ORDERED.slice(3)],
      [{ key: 9e17, id: "" }, ORDERED.slice(-4)],
      [{ key: null, id: "" }, ORDERED.slice(-4)],
      [{ key: null, id: "n-1" }, ORDERED.slice(-3)],
      [{ key: null, id: "\u{10ffff}" }, []],
    ]);
  });

  scenario("events are returned as the JSON of their messages", MANY, async (store) => {
    for (const { item } of (await store.events.list(toQuery({ limit: 100 }))).entries) {
      const want = MANY.events.find((it) => it.id === item.id) ?? createEvent("", {});
      expect(item.json).toBe(toJsonString(EventSchema, want));
    }
  });
}

function toQuery(changes: Partial<ContentQuery>): ContentQuery {
  return {
    projectId: ALPHA,
    at: undefined,
    visibilities: [PUBLISHED],
    words: [],
    order: DEFAULT_ORDERS.event,
    limit: 50,
    now: new Date(0),
    ...changes,
  };
}

function listIds(store: Store, changes: Partial<ContentQuery> = {}): ListIds<OrderPlace> {
  return async (page) => {
    const budget = createEndlessBudget();
    const { entries, next } = await store.events.list({ ...toQuery(changes), budget, ...page });
    return { ids: entries.map(({ item }) => item.id), next };
  };
}

const ORDERED = [
  "y1",
  "before 1970",
  "A",
  "a",
  "é",
  "\uff61",
  "\u{1f600}",
  "one microsecond on",
  "y9999",
  "n-1",
  "n-2",
  "\uff62",
  "\u{1f601}",
];

const MANY = createSmallDataset({
  events: [
    createEvent("\u{1f601}", {}),
    createEvent("n-2", {}),
    createEvent("\uff62", {}),
    createEvent("one microsecond on", { startTime: { seconds: 100n, nanos: 1_000 } }),
    ...["\u{1f600}", "é", "a", "\uff61", "A"].map((id) =>
      createEvent(id, { startTime: { seconds: 100n } }),
    ),
    createEvent("n-1", {}),
    createEvent("y9999", { startTime: { seconds: 253_402_300_799n, nanos: 999_999_999 } }),
    createEvent("y1", { startTime: { seconds: -62_135_596_800n }, title: { en: "First" } }),
    createEvent("before 1970", { startTime: { seconds: -1n, nanos: 1 } }),
    createEvent("hidden", { startTime: { seconds: 100n }, visibility: HIDDEN }),
  ],
});
