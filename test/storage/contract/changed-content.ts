import type { JsonObject } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect } from "vitest";
import type { Event } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import type { ContentQuery } from "../../../src/storage/contract/content-store.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { ALPHA, createEvent, createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const NOW = new Date("2026-06-20T12:00:00Z");

/** Values of few keys, so that changes hit what is there: also texts that are words of others, lists and objects. */
const VALUE = fc.oneof(
  fc.constantFrom<string | number | boolean | null>(
    "red",
    "red blue",
    "12",
    12,
    true,
    null,
    "x".repeat(300),
  ),
  fc.array(fc.constantFrom<string | number>("red", 12, 3), { maxLength: 4 }),
  fc.array(fc.record({ a: fc.constantFrom("red", 12), b: fc.nat(2) }), { maxLength: 3 }),
  fc.record({ a: fc.constantFrom("red", 12), __proto__: fc.nat(1) }, { requiredKeys: ["a"] }),
);
const STATE = fc.record({
  fields: fc.dictionary(fc.constantFrom("a", "b", "c.d", "c", "__proto__"), VALUE, { maxKeys: 4 }),
  title: fc.constantFrom({}, { en: "Red game" }, { en: "Game", de: "Spiel" }),
  contentType: fc.constantFrom("match", "show", ""),
  visibility: fc.constantFrom(Visibility.PUBLISHED, Visibility.PUBLISHED, Visibility.HIDDEN),
  day: fc.constantFrom(1n, 1n, 1n, 2n),
});

/** The filters and searches that the states can match, or no longer match. */
const QUERIES: readonly Partial<ContentQuery>[] = [
  ...[
    "fields.a: red",
    "fields.a: 12",
    'fields.a: "12"',
    "fields.a.a: red",
    "fields.a >= 3",
    "fields.b: *",
    "fields.b:{a: red and b: 1}",
    "fields.c.d: *",
    "fields.c: true",
    "fields.*: red",
    "title.de: Spiel",
    "content_type: match",
    "not content_type: show",
    "fields.a: xxx*",
    "red",
    "start_time: *",
  ].map((text) => ({ filter: parseKql(text) })),
  ...[["red"], ["spiel"], ["blue"], ["12"]].map((words) => ({ words })),
  { order: { field: "fields.a", direction: "desc" } },
];

/** Holds a changed item to be found as one that was created so. */
export function changedContentContract(scenario: Scenario): void {
  scenario(
    "a changed item is found by what it is, and by nothing that it was",
    TWO,
    async (store) => {
      const { event } = store.in("acme").documents;
      await fc.assert(
        fc.asyncProperty(fc.array(STATE, { minLength: 2, maxLength: 4 }), async (states) => {
          for (const state of states) await event.touch("changed", () => toEvent("changed", state));
          const last = states.at(-1);
          if (last === undefined) return;
          // Written whole, as its visibility changes.
          await event.touch("fresh", () =>
            toEvent("fresh", { ...last, visibility: Visibility.UNLISTED }),
          );
          await event.touch("fresh", () => toEvent("fresh", last));
          for (const query of QUERIES) {
            const found = await listIds(store, query);
            expect([query, found.includes("changed")]).toEqual([query, found.includes("fresh")]);
          }
        }),
        { numRuns: 8 },
      );
    },
  );
}

interface State {
  readonly fields: object;
  readonly title: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly visibility: Visibility;
  readonly day: bigint;
}

function toEvent(id: string, { fields, day, ...state }: State): Event {
  return createEvent(id, {
    ...state,
    // Enough values that only the changed ones are written.
    fields: { ...(fields as JsonObject), more: Array.from({ length: 150 }, (_, at) => at) },
    startTime: { seconds: 1_780_272_000n + day * 86_400n },
  });
}

async function listIds(store: Store, query: Partial<ContentQuery>): Promise<readonly string[]> {
  const { entries } = await store.events.list({
    ...{ projectId: ALPHA, visibilities: [Visibility.PUBLISHED, Visibility.HIDDEN], words: [] },
    ...{ order: { field: "start_time", direction: "asc" }, limit: 10, now: NOW },
    ...query,
  } as ContentQuery);
  return entries.map(({ item }) => item.id);
}

const TWO = createSmallDataset({ events: [createEvent("changed", {}), createEvent("fresh", {})] });
