import { afterAll, describe, expect, test } from "vitest";
import { type KqlNode, matchKql, parseKql } from "../../../src/domain/kql/index.ts";
import { openLeafDatabase } from "./leaf-database.ts";

const [nodes, nesting] = [256, 32];
const database = openLeafDatabase();
afterAll(() => database.close());

describe("a filter at the limits of the language runs", () => {
  const repeat = (count: number, unit: (index: number) => string, separator = "") =>
    Array.from({ length: count }, (_, index) => unit(index)).join(separator);
  const bury = (open: string, inside: string, close = ")") =>
    open.repeat(nesting) + inside + close.repeat(nesting);
  const perLevel = Math.floor((nodes - 1) / nesting) - 2;
  const cases: readonly (readonly [string, string])[] = [
    ["an or of fields", repeat(nodes - 1, (it) => `f${it}: 1`, " or ")],
    ["an and of fields", repeat(nodes - 1, () => "a: *", " and ")],
    ["values of one field", `a: (${repeat(nodes - 1, (it) => `${it}`, " or ")})`],
    ["nots of values", `a: (${repeat((nodes - 2) / 2, () => "not 0", " and ")})`],
    ["ranges", repeat(nodes - 1, (it) => `a>="2026-06-${10 + (it % 20)}"`, " or ")],
    ["brackets", bury("(", "a: 1")],
    ["nots", bury("not (", "a: 1")],
    [
      "turns of or and and",
      `${"(b: 1 or (a: 1 and ".repeat(nesting / 2)}a: 1${")".repeat(nesting)}`,
    ],
    ["ors in nots", bury("b: 1 and not (b: 2 or ", "a: 1")],
    ["groups", bury("a:{", "b: 1", "}")],
    ["nots of groups", bury("not a:{", "b: 1", "}")],
    ["groups in nots in groups", `${bury("a:{not ", "b: 1", "}")} or a: 1`],
    ["wide groups", bury(`${repeat(perLevel, (it) => `c${it}: 1 or `)}a:{`, "b: 1", "}")],
    [
      "groups beside clauses",
      bury(`${repeat(perLevel / 2, () => "not z*: x and ")}a:{`, "b: 1", "}"),
    ],
  ];
  let deep: unknown = { b: 1 };
  for (let level = 0; level < nesting; level += 1) deep = { a: deep };
  const documents = [{ a: 1 }, deep, { a: [0, { b: 1 }] }, {}];
  test.each(cases)("%s", async (_, filter) => {
    await database.fill(documents);
    const node = parseKql(filter);
    const want = documents.flatMap((it, index) => (matchKql(node, it) ? [index] : []));
    expect(await database.select(node)).toEqual(want);
  });

  test("each case is at a limit", () => {
    for (const [name, filter] of cases) {
      const node = parseKql(filter);
      const brackets = filter.match(/[({]/g)?.length ?? 0;
      expect(countNodes(node) >= nodes - 3 || brackets >= nesting, name).toBe(true);
    }
  });
});

test("a chain may be longer than an engine's expressions are deep", async () => {
  const items = Array.from({ length: 1200 }, (_, index) => parseKql(`f${index}: *`));
  const { span } = parseKql("");
  await database.fill([{ f1199: 1 }, {}]);
  expect(await database.select({ type: "or", items, span })).toEqual([0]);
  const nots = items.map((item): KqlNode => ({ type: "not", item, span }));
  expect(await database.select({ type: "and", items: nots, span })).toEqual([1]);
});

test("a document may nest deeper than a call stack", async () => {
  let document: unknown = 1;
  for (let depth = 0; depth < 20_000; depth += 1) document = [document];
  await database.fill([{ f: document }]);
  expect(await database.select(parseKql("f: 1"))).toEqual([0]);
});

function countNodes(node: KqlNode): number {
  switch (node.type) {
    case "and":
    case "or":
      return node.items.reduce((sum, item) => sum + countNodes(item), 1);
    case "not":
    case "nested":
      return 1 + countNodes(node.item);
    default:
      return 1;
  }
}
