import { afterAll, describe, expect, test } from "vitest";
import {
  type KqlName,
  type KqlNode,
  type KqlValue,
  matchKql,
} from "../../../src/domain/kql/index.ts";
import { openLeafDatabase } from "./leaf-database.ts";

const SPAN = { start: 0, end: 0 };

const HOSTILE = [
  "'",
  "''; drop table content_leaf; --",
  '"',
  '" or 1 = 1 --',
  "`",
  "%",
  "_",
  "[",
  "[x]",
  "]",
  "[^x]",
  "?",
  "*",
  "\\",
  "\\*",
  "$1",
  ":name",
  "@p",
  "?1",
  "/*",
  "--",
  ";",
  "\u0000",
  "x\u0000",
  "\u0001",
  "\u0002\u0003",
  "\n",
  "🏀",
  "\ud800",
  "\uffff",
  "é",
  "e\u0301",
  "null",
  "true",
  "now",
  "x".repeat(8000),
  "[".repeat(8000),
];

const database = openLeafDatabase();
afterAll(() => database.close());

/** Each place of a filter that holds a text, and a document that the filter takes. */
const PLACES: Readonly<
  Record<string, (text: string) => { readonly node: KqlNode; readonly document: unknown }>
> = {
  value: (text) => ({ node: is(exact("f"), toValue(text)), document: { f: text } }),
  "one of many values": (text) => ({
    node: or(is(exact("f"), toValue(text)), is(exact("f"), toValue("other"))),
    document: { f: text },
  }),
  field: (text) => ({ node: is(exact(text), toValue("v")), document: { [text]: "v" } }),
  "start of a pattern": (text) => ({
    node: is(exact("f"), { kind: "pattern", parts: [text, ""] }),
    document: { f: `${text}!` },
  }),
  "middle of a pattern": (text) => ({
    node: is(exact("f"), { kind: "pattern", parts: ["", text, "!"] }),
    document: { f: `-${text}-!` },
  }),
  bound: (text) => ({
    node: {
      type: "range",
      name: exact("f"),
      operator: "gte",
      value: toValue(`=${text}`),
      span: SPAN,
    },
    document: { f: `=${text}` },
  }),
};

for (const [place, build] of Object.entries(PLACES)) {
  describe(`a hostile text as ${place}`, () => {
    const { sql: statement, parameters } = compile("harmless");
    /** A value equals one key or several; the statement differs in their number alone. */
    function compile(text: string) {
      const compiled = database.compile(build(text).node);
      return {
        ...compiled,
        sql: compiled.sql.replace(/= \+\?|in \(\+\?(?:, \+\?)*\)/g, "is one of ?"),
      };
    }
    for (const text of HOSTILE) {
      // Longer patterns are tested in memory.
      if (place === "middle of a pattern" && text.length > 32) continue;
      const { node, document } = build(text);

      test(`${JSON.stringify(text.slice(0, 40))} is bound`, () => {
        const got = compile(text);
        expect(got.sql).toBe(statement);
        expect(got.parameters).not.toEqual(parameters);
      });

      test(`${JSON.stringify(text.slice(0, 40))} means itself`, async () => {
        const others = ["harmless", "", "x", "-"].map((it) => build(it).document);
        const documents = [document, ...others, { f: "x" }, { x: "v" }, {}];
        await database.fill(documents);
        const want = documents.flatMap((it, index) => (matchKql(node, it) ? [index] : []));
        expect(want[0]).toBe(0);
        expect(await database.select(node)).toEqual(want);
      });
    }
  });
}

function exact(path: string): KqlName {
  return { kind: "exact", path, quoted: true };
}

function toValue(text: string): KqlValue {
  return { kind: "text", text, quoted: true };
}

function is(name: KqlName | null, value: KqlValue): KqlNode {
  return { type: "is", name, value, span: SPAN };
}

function or(...items: readonly KqlNode[]): KqlNode {
  return { type: "or", items, span: SPAN };
}

test("a hostile text means itself as a field that exists", async () => {
  for (const text of HOSTILE) {
    const others = ["harmless", "", "x", "-"].filter((it) => it !== text);
    await database.fill([text, ...others].map((name) => ({ [name]: { f: "v" } })));
    const node: KqlNode = { type: "exists", name: exact(text), span: SPAN };
    expect(await database.select(node), text).toEqual([0]);
  }
});
