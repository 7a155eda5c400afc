import { describe, expect, test } from "vitest";
import {
  createKqlSteps,
  KqlDocument,
  type KqlNode,
  matchKql,
  parseKql,
  parseKqlTemplate,
  readsNow,
} from "../../../src/domain/kql/index.ts";
import { openCases } from "../../harness/cases.ts";
import { type MatchCase, readCases } from "./fixtures.ts";

const each = openCases("kql/reads");

describe("a document matches what the filter says", () => {
  for (const { filter, document, now, want } of readCases<MatchCase>("match")) {
    test(`${filter} ${want ? "takes" : "leaves"} ${JSON.stringify(document)}`, () => {
      const clock = now === undefined ? undefined : Date.parse(now);
      const got = matchKql(parseKql(filter), document, clock);
      expect(got).toBe(want);
      expect(runSteps(parseKql(filter), document, clock)).toBe(want);
      expect(matchKql(parseKql(`not (${filter || "*"})`), document, clock)).toBe(!want);
    });
  }
});

/** Tests a document clause by clause, to the end. */
function runSteps(node: KqlNode, document: unknown, now?: number): boolean {
  const steps = createKqlSteps(node, now)(new KqlDocument(document));
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

test("a filter is tested in as many steps as it has clauses that decide", () => {
  for (const [filter, want] of [
    ["a: 1 and b: 1 and c: 1", 2],
    ["a: 1 or b: 1 or c: 1", 1],
    ["not (a: 2 or b: 2) and c: 1", 3],
    ["p: { a: 1 or b: 1 }", 1],
  ] as const) {
    const steps = createKqlSteps(
      parseKql(filter),
      undefined,
    )(new KqlDocument({ a: 1, b: 3, c: 1 }));
    let count = 0;
    while (!steps.next().done) count += 1;
    expect(count, filter).toBe(want);
  }
});

test("inherited members do not exist, own ones do whatever their name", () => {
  const inherited = Object.create({ f: 1 });
  expect(matchKql(parseKql("f: 1"), inherited)).toBe(false);
  const own = JSON.parse('{"__proto__": {"a": 1}, "constructor": "x"}');
  expect(matchKql(parseKql("__proto__.a: 1 and constructor: x"), own)).toBe(true);
});

test("a placeholder that was never filled matches nothing", () => {
  expect(matchKql(parseKqlTemplate("f: {q}"), { f: "{q}" })).toBe(false);
  expect(matchKql(parseKqlTemplate("f >= {q}"), { f: "{q}" })).toBe(false);
});

test("a document may nest deeper than a call stack", () => {
  let document: unknown = 1;
  for (let depth = 0; depth < 20_000; depth += 1) document = [document];
  expect(matchKql(parseKql("f: 1"), { f: document })).toBe(true);
});

each<[string, boolean]>(
  "a filter reads the clock only through the bound of a range",
  (filter, want) => {
    expect(readsNow(parseKql(filter))).toBe(want);
  },
);
