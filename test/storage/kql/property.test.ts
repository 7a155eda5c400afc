import { type JsonObject, toJson } from "@bufbuild/protobuf";
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import {
  compareCodePoints,
  flattenDocument,
  type KqlName,
  type KqlNode,
  matchesPattern,
  matchKql,
  parseEquality,
  parseKql,
} from "../../../src/domain/kql/index.ts";
import {
  nextAfterPrefix,
  toEqualKeys,
  toLeafKey,
  toStoredText,
} from "../../../src/storage/content/leaf-key.ts";
import { toLeafRows } from "../../../src/storage/content/leaf-rows.ts";
import { hostileText } from "../../domain/kql/arbitraries.ts";
import { openFresh } from "../../harness/fresh-store.ts";
import { createEndlessBudget } from "../slow-budget.ts";
import { ALPHA, createEvent, createSmallDataset } from "../small-dataset.ts";
import { document, NOW, narrowDocument, narrowTree, tree } from "./arbitraries.ts";
import { openLeafDatabase, toWellFormed } from "./leaf-database.ts";

const RUNS = 200;

const database = openLeafDatabase();
afterAll(() => database.close());

describe("SQL takes the documents that the language takes, lone surrogates read as U+FFFD", () => {
  const cases: Readonly<Record<string, readonly [fc.Arbitrary<KqlNode>, fc.Arbitrary<unknown>]>> = {
    "any text": [tree, document],
    "groups in groups": [narrowTree, narrowDocument],
  };
  for (const [name, [node, item]] of Object.entries(cases)) {
    test(name, async () => {
      let [taken, left] = [0, 0];
      const documents = fc.array(item, { minLength: 1, maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(node, documents, async (filter, items) => {
          const asked = toWellFormed(filter);
          const want = items.flatMap((it, index) =>
            matchKql(asked, toWellFormed(it), NOW) ? [index] : [],
          );
          await database.fill(items);
          expect(await database.select(filter, NOW)).toEqual(want);
          taken += want.length;
          left += items.length - want.length;
        }),
        { numRuns: RUNS },
      );
      expect(Math.min(taken, left)).toBeGreaterThan(RUNS / 4);
    });
  }
});

test("a list takes the items that the language takes, wherever it tests them", async () => {
  const documents = fc
    .sample(fc.oneof(document, narrowDocument), { numRuns: 60, seed: 7 })
    .map(toWellFormed);
  const events = documents.map((fields, number) =>
    createEvent(`event-${number}`, { fields: fields as JsonObject }),
  );
  const { store, close } = await openFresh(createSmallDataset({ events }));
  // Free text looks into every field, the ids among them.
  const items = events.map((event) => toJson(EventSchema, event, { useProtoFieldName: true }));
  let found = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(tree, narrowTree), async (node) => {
      const filter = toWellFormed(belowFields(node));
      const { entries, next } = await store.events.list({
        ...{ projectId: ALPHA, filter, words: [], limit: 100, now: new Date(NOW) },
        ...{
          at: undefined,
          visibilities: [Visibility.PUBLISHED],
          order: { field: "id", direction: "asc" },
        },
        budget: createEndlessBudget(),
      });
      const want = items.flatMap((it, index) =>
        matchKql(filter, it, NOW) ? [`event-${index}`] : [],
      );
      expect(next).toBeUndefined();
      expect(entries.map(({ item }) => item.id)).toEqual(want.sort());
      found += want.length;
    }),
    { numRuns: RUNS },
  );
  expect(found).toBeGreaterThan(RUNS);
  await close();
});

/** Puts the names of a filter below `fields`, but for those of groups and free text. */
function belowFields(node: KqlNode): KqlNode {
  switch (node.type) {
    case "and":
    case "or":
      return { ...node, items: node.items.map(belowFields) };
    case "not":
      return { ...node, item: belowFields(node.item) };
    case "nested":
      return { ...node, path: `fields.${node.path}` };
    case "exists":
    case "range":
      return { ...node, name: toNameBelow(node.name) };
    case "is":
      return { ...node, name: node.name && toNameBelow(node.name) };
    default:
      return node;
  }
}

function toNameBelow(name: KqlName): KqlName {
  if (name.kind === "exact") return { ...name, path: `fields.${name.path}` };
  const [first = "", ...others] = name.parts;
  return { ...name, parts: [`fields.${first}`, ...others] };
}

test("rows hold the leaves of the language", () => {
  fc.assert(
    fc.property(document, (item) => {
      const leaves = toLeafRows(item);
      const flat = flattenDocument(item);
      expect(leaves.map(({ path, key, text }) => [path, text ?? key.slice(1)]).sort()).toEqual(
        flat.leaves.map((it) => [toStoredText(it.path), toStoredText(String(it.value))]).sort(),
      );
    }),
  );
});

test("keys are equal where values are, and in their order where they are of one kind", () => {
  const value = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(0, -0, 1e308, -1e308, 5e-324, true, false, "true", "", "x"),
    fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date(9e12) })
      .map((it) => it.toISOString()),
    hostileText,
  );
  fc.assert(
    fc.property(value, value, (a, b) => {
      const [keyA, keyB] = [toLeafKey(a), toLeafKey(b)];
      if (typeof a === "number" && typeof b === "number") {
        expect(Math.sign(compareBytes(keyA, keyB))).toBe(a === b ? 0 : a < b ? -1 : 1);
      }
      const text = String(a);
      const equals = matchKql(parseKql(`f: "${text.replace(/[\\"]/g, "\\$&")}"`), { f: b });
      if (!/[\t\r\n]/.test(text)) {
        expect(toEqualKeys(parseEquality(text)).includes(keyB)).toBe(equals);
      }
    }),
    { numRuns: RUNS },
  );
});

test("stored texts have the order, the prefixes and the patterns of the texts", () => {
  const characters = [
    "\0",
    "\x01",
    "\x02",
    "\x03",
    "\x04",
    "\x05",
    "\x06",
    "a",
    "\ud7ff",
    "\ue000",
    "🏀",
  ];
  const text = fc
    .array(fc.oneof(fc.constantFrom(...characters, "\u{10ffff}"), hostileText), { maxLength: 5 })
    .map((pieces) => pieces.join("").toWellFormed());
  fc.assert(
    fc.property(text, text, fc.array(text, { minLength: 1, maxLength: 4 }), (a, b, parts) => {
      const [storedA, storedB] = [toStoredText(a), toStoredText(b)];
      expect(storedA).not.toContain("\0");
      expect(Math.sign(compareCodePoints(a, b))).toBe(compareBytes(storedA, storedB));
      const end = nextAfterPrefix(storedA);
      const isBetween =
        compareBytes(storedB, storedA) >= 0 &&
        (end === undefined || compareBytes(storedB, end) < 0);
      expect(isBetween).toBe(b.startsWith(a));
      for (const whole of [a + b, parts.join(a)]) {
        expect(matchesPattern(parts.map(toStoredText), toStoredText(whole))).toBe(
          matchesPattern(parts, whole),
        );
      }
    }),
    { numRuns: RUNS },
  );
});

describe("the least text above all that start with", () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ["f.", "f/"],
    ["a🏀", "a🏁"],
    ["\ud7ff", "\ue000"],
    ["\uffff", "\u{10000}"],
    ["a\u{10ffff}", "b"],
    ["\u{10ffff}", undefined],
    ["", undefined],
  ];
  for (const [prefix, want] of cases) {
    test(JSON.stringify(prefix), () => expect(nextAfterPrefix(prefix)).toBe(want));
  }
});

/** Compares as databases do. */
function compareBytes(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}
