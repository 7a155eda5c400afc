import { BinaryWriter } from "@bufbuild/protobuf/wire";
import { describe, expect } from "vitest";
import type { OrderPlace } from "../../../src/domain/base/paging.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import type { DocumentQuery } from "../../../src/storage/contract/document-store.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { createEndlessBudget } from "../slow-budget.ts";
import { DOCUMENT_SAMPLES, type DocumentSample, documentsOf, EMPTY } from "./document-samples.ts";
import { type ListIds, readAll } from "./paging.ts";
import type { Scenario } from "./scenario.ts";

/** In no order at all, and where code points and UTF-16 disagree. */
const IDS = ["\u{1f600}", "b", "B", "é", "\uff61", "a", "A"];
/** What each of them is ordered by: with ties, and two without a value. */
const KEYS = [20, 10, undefined, 10, 30, 20, undefined];
const DIRECTIONS = ["asc", "desc"] as const;
/** A type of content, and another: the lists of each end by bytes in the same way. */
const LARGE = ["event", "organization"];
/** The types whose lists are of one parent. */
const OF_ONE_PARENT = ["organization", "entity", "creative_work", "event"];
const BY_ID = { field: "id", direction: "asc" } as const;

/** Holds the lists of documents of every type. */
export function documentListContract(scenario: Scenario): void {
  for (const sample of DOCUMENT_SAMPLES) {
    describe(sample.kind, () => listsOf(sample, scenario));
  }
}

/** Makes a document larger by about so many bytes, in a place that no index reads. */
function toPadding({ kind }: DocumentSample, bytes: number): object {
  const padding = "x".repeat(bytes);
  if (["entity", "creative_work", "event"].includes(kind)) return { contentType: padding };
  return { $unknown: [{ no: 1_000, wireType: 2, data: toLengthDelimited(padding) }] };
}

/** Writes a text as protobuf does: its length, then its bytes. */
function toLengthDelimited(text: string): Uint8Array {
  return new BinaryWriter().string(text).finish();
}

function listsOf(sample: DocumentSample, scenario: Scenario): void {
  const [parent, otherParent] = sample.parents;
  const isOrganization = sample.kind === "organization";
  const parentIds = isOrganization ? IDS : [parent];

  const add = async (store: Store, id: string, init: object = {}, at = parent) => {
    const value = sample.make(id, at, { ...init });
    await documentsOf(store, sample, at).create(value, ...sample.extras(id));
    return value;
  };
  const list = (store: Store, query: Partial<DocumentQuery>) =>
    documentsOf(store, sample).list({
      ...{ parentIds, order: BY_ID, limit: 100, now: new Date(0), budget: createEndlessBudget() },
      ...query,
    });

  const listIds =
    (store: Store, query: Partial<DocumentQuery>): ListIds<OrderPlace> =>
    async (page) => {
      const { values, next } = await list(store, { ...query, ...page });
      return { ids: values.map(({ id }) => id), next };
    };

  scenario("in every order and by filters, page by page", EMPTY, async (store) => {
    const fields = Object.keys(sample.orders);
    /** The key of a document in the order of a field: no two fields have the same order. */
    const keyOf = (index: number, field: string) =>
      KEYS[(index + fields.indexOf(field)) % KEYS.length];
    for (const [index, id] of IDS.entries()) {
      const values = fields.map((field) => {
        const key = keyOf(index, field);
        return key === undefined ? {} : sample.orders[field]?.(key);
      });
      await add(store, id, Object.assign({ visibility: index % 4 }, ...values));
    }
    if (!isOrganization) await add(store, "elsewhere", {}, otherParent);
    for (const field of ["id", ...fields]) {
      const keys = IDS.map((id, index) => {
        const key = field === "id" ? undefined : keyOf(index, field);
        return [id, field === "position" ? (key ?? 0) : key] as const;
      });
      for (const direction of DIRECTIONS) {
        const order = { field, direction };
        const want = field === "id" ? inIdOrder(direction) : inKeyOrder(keys, direction);
        for (const limit of [1, 3, IDS.length]) {
          const got = await readAll(listIds(store, { order }), limit);
          expect([order, got]).toEqual([order, want]);
        }
      }
    }
    const { local, proto } = sample.label;
    await documentsOf(store, sample).update("é", ({ value }) => ({ ...value, [local]: "some-1" }));
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ["id: B", ["B"]],
      ["id: (B or a or nothing)", ["B", "a"]],
      [`${proto}: "some-1"`, ["é"]],
      [`${proto}: "some-1" or id: b`, ["b", "é"]],
      [`${proto}: some*`, ["é"]],
      [`not ${proto}: "some-1" and not id: B`, ["A", "a", "b", "\uff61", "\u{1f600}"]],
      [`${proto}: "some-1" and id: b`, []],
      ["id: elsewhere", []],
    ];
    for (const [text, want] of cases) {
      const filter = parseKql(text);
      for (const limit of [1, 100]) {
        const got = await readAll(listIds(store, { filter }), limit);
        expect([text, got]).toEqual([text, want]);
      }
    }
  });

  if (LARGE.includes(sample.kind))
    scenario("a page has at most 4 MiB, but at least one", EMPTY, async (store) => {
      const sizes = { a: 1.9, b: 1.9, c: 1.9, d: 4.5, e: 0.1 };
      for (const [id, mebibytes] of Object.entries(sizes)) {
        const value = Object.assign(
          sample.make(id, parent),
          toPadding(sample, mebibytes * 1_048_576),
        );
        await documentsOf(store, sample).create(value, ...sample.extras(id));
      }
      const pages: string[][] = [];
      let next: OrderPlace | undefined;
      do {
        const all = isOrganization ? { parentIds: Object.keys(sizes) } : {};
        const page = await list(store, { ...all, ...(next && { after: next }) });
        pages.push(page.values.map((it) => it.id));
        next = page.next;
      } while (next !== undefined);
      expect(pages).toEqual([["a", "b"], ["c"], ["d"], ["e"]]);
    });

  scenario("of no, one and several parents, as they are at each page", EMPTY, async (store) => {
    for (const id of IDS) await add(store, id);
    if (!isOrganization) await add(store, "elsewhere", {}, otherParent);
    for (const ids of [[], ["nowhere"], [parent.toUpperCase()]]) {
      expect(await list(store, { parentIds: ids })).toEqual({ values: [] });
    }
    if (!OF_ONE_PARENT.includes(sample.kind)) {
      const both = { parentIds: [otherParent, parent] };
      for (const limit of [1, 100]) {
        const got = await readAll(listIds(store, both), limit);
        // An account is looked for in one organization.
        const elsewhere = sample.kind === "access_token" ? [] : ["elsewhere"];
        expect(got).toEqual(["A", "B", "a", "b", ...elsewhere, "é", "\uff61", "\u{1f600}"]);
      }
    }
    const first = await list(store, { limit: 2 });
    expect(first.values.map((it) => it.id)).toEqual(["A", "B"]);
    await documentsOf(store, sample).delete("B", () => undefined);
    await documentsOf(store, sample).delete("a", () => undefined);
    const rest = await list(store, first.next === undefined ? {} : { after: first.next });
    expect(rest.values.map((it) => it.id)).toEqual(["b", "é", "\uff61", "\u{1f600}"]);
    expect(rest.next).toBeUndefined();
  });
}

const compareIds = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

function inIdOrder(direction: "asc" | "desc"): readonly string[] {
  const ids = IDS.toSorted(compareIds);
  return direction === "asc" ? ids : ids.reverse();
}

/** Ties by id, what has no value last. */
function inKeyOrder(
  made: readonly (readonly [id: string, key: number | undefined])[],
  direction: "asc" | "desc",
): readonly string[] {
  const sign = direction === "asc" ? 1 : -1;
  const rank = (key: number | undefined) => (key === undefined ? Number.MAX_VALUE : sign * key);
  return made.toSorted(([a, x], [b, y]) => rank(x) - rank(y) || compareIds(a, b)).map(([id]) => id);
}
