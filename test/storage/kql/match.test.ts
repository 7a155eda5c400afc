import { afterAll, describe, expect, test } from "vitest";
import { matchKql, parseKql, parseKqlTemplate } from "../../../src/domain/kql/index.ts";
import { type MatchCase, readCases } from "../../domain/kql/fixtures.ts";
import { ENGINE } from "../../harness/engine.ts";
import { openLeafDatabase } from "./leaf-database.ts";

const database = openLeafDatabase();
afterAll(() => database.close());

describe("SQL takes the documents that the language takes", () => {
  const cases = readCases<MatchCase>("match");
  test("the fixtures are there", () => expect(cases.length).toBeGreaterThan(150));

  for (const { filter, document, now, want } of cases) {
    test(`${filter} ${want ? "takes" : "leaves"} ${JSON.stringify(document)}`, async () => {
      const clock = now === undefined ? undefined : Date.parse(now);
      await database.fill([document]);
      for (const [text, taken] of [
        [filter, want],
        [`not (${filter || "*"})`, !want],
      ] as const) {
        const node = parseKql(text);
        expect(matchKql(node, document, clock)).toBe(taken);
        expect(await database.select(node, clock)).toEqual(taken ? [0] : []);
      }
    });
  }
});

describe("what the fixtures do not hold", () => {
  const documents = [
    { f: "a", g: 1, p: [{ k: 1, "x.y": "u" }, { k: 2 }] },
    { f: ["b", 10], g: "1", p: { k: 2, "x.y": "v" } },
    { f: "2026-06-11T18:00:00Z", fa: { f: true }, p: [[{ q: [{ k: 1 }, { k: 3 }] }, { k: 5 }]] },
    {},
  ];
  test.each<[string, readonly number[]]>([
    ["f: (a or b or 10.0)", [0, 1]],
    ['f: (a or "2026-06-11T20:00:00+02:00" or null)', [0, 2]],
    ["f: (a or b*) or (f: c or g: 1)", [0, 1]],
    ["f: (x or null)", []],
    ["a or true or 1e1", [0, 1, 2]],
    ["f*: (true or b)", [1, 2]],
    ["*.k >= 2 and not *.k: 3", [0, 1]],
    ["* >= 10", [1]],
    ["p:{k: (1 or 3)}", [0]],
    ["p:{q:{k: (1 or 3)}}", [2]],
    ["p:{q.k: 1 and not k: *}", [2]],
    ["p:{q:{*: 3}}", [2]],
    ["p:{k: 5 and q:{k: 1}}", []],
    ["p:{not k: 5 and q:{k: 1}}", [2]],
    ["f*: true or g*: a or 2", [0, 1, 2]],
    ["f*: b or g*: true", [1]],
    ["p:{x*: u}", [0]],
    ["p:{x*: *}", [0, 1]],
    ["p:{x: *}", [0, 1]],
    ["p:{*y: v and k: 2}", [1]],
    ["p:{p.k: 1}", []],
    ["not p:{not k: 2}", [1, 3]],
    ["not p:{k: 2} and not f: a", [2, 3]],
  ])("%s", async (filter, want) => {
    await database.fill(documents);
    const node = parseKql(filter);
    expect(documents.flatMap((it, index) => (matchKql(node, it) ? [index] : []))).toEqual(want);
    expect(await database.select(node)).toEqual(want);
  });

  test("a placeholder that was never filled matches nothing", async () => {
    await database.fill([{ f: "{q}" }]);
    for (const filter of ["f: {q}", "f >= {q}", "{q}"]) {
      expect(await database.select(parseKqlTemplate(filter))).toEqual([]);
    }
  });

  test("the values of one field are one look at its leaves", () => {
    const { sql } = database.compile(parseKql("f: (a or b or 10) or (x: 1 or f: c or f: d*)"));
    expect(sql.match(/exists/g)).toHaveLength(2);
    expect(sql).toContain("leaf.key in (+?, +?, +?, +?, +?)");
  });
});

// The plans of PostgreSQL depend on how much a table holds.
describe.runIf(ENGINE === "sqlite")("a clause is looked up among the leaves of one item", () => {
  test.each([...["t >= now", "n > 5", 't > "2026-06-11"', "f: a*", "f: *a", "f: a", "f: 1"]])(
    "%s",
    (filter) => {
      const steps = database.explain(parseKql(filter), 0).filter((it) => /SEARCH leaf/.test(it));
      expect(steps).not.toEqual([]);
      for (const step of steps) expect(step).toContain("item=?");
    },
  );
});
