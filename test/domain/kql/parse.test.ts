import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Code, DomainError } from "../../../src/domain/base/errors.ts";
import {
  type KqlNode,
  matchKql,
  parseKql,
  parseKqlTemplate,
  parseStoredKql,
  printKql,
} from "../../../src/domain/kql/index.ts";
import { parseScanned } from "../../../src/domain/kql/parser.ts";
import { Scanner } from "../../../src/domain/kql/scanner.ts";
import { openCases } from "../../harness/cases.ts";
import { errorOf } from "../../harness/rejection.ts";
import { hostileText, plainTree, templateTree } from "./arbitraries.ts";
import { readCases, withoutSpans } from "./fixtures.ts";

const each = openCases("kql/parse");

interface ValidCase {
  readonly text: string;
  readonly template?: boolean;
  readonly print: string;
  readonly tree?: unknown;
}

interface InvalidCase {
  readonly text: string;
  readonly template?: boolean;
  readonly offset: number;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  readonly hint?: string;
}

function parseCase({ text, template }: { text: string; template?: boolean }): KqlNode {
  return template === true ? parseKqlTemplate(text) : parseKql(text);
}

function catchError(run: () => unknown): DomainError {
  return errorOf(run) ?? expect.fail("nothing was thrown");
}

describe("a filter parses", () => {
  test.each(readCases<ValidCase>("valid"))("$text", (fixture) => {
    const got = parseCase(fixture);
    expect(printKql(got)).toBe(fixture.print);
    if (fixture.tree !== undefined) expect(withoutSpans(got)).toEqual(fixture.tree);
    expect(withoutSpans(parseCase({ ...fixture, text: fixture.print }))).toEqual(withoutSpans(got));
  });

  test("spans cover a clause without blanks or brackets around it", () => {
    const text = " ( a: 1 )  or not  b: ( x or  y ) ";
    const covered: string[] = [];
    collectSpans(parseKql(text), text, covered);
    const or = "( a: 1 )  or not  b: ( x or  y )";
    expect(covered).toEqual([or, "a: 1", "not  b: ( x or  y )", "x or  y", "x", "y"]);
  });
});

function collectSpans(node: KqlNode, text: string, covered: string[]): void {
  covered.push(text.slice(node.span.start, node.span.end));
  if (node.type === "and" || node.type === "or") {
    for (const item of node.items) collectSpans(item, text, covered);
  } else if (node.type === "not" || node.type === "nested") {
    collectSpans(node.item, text, covered);
  }
}

describe("a broken filter is rejected where it breaks", () => {
  test.each(readCases<InvalidCase>("invalid"))("$text", (fixture) => {
    const got = catchError(() => parseCase(fixture));
    expect(got.code).toBe(Code.INVALID_ARGUMENT);
    expect(got.reason).toBe("KQL_SYNTAX");
    expect(got.metadata).toEqual({
      offset: String(fixture.offset),
      line: String(fixture.line),
      column: String(fixture.column),
    });
    expect(got.message.split("\n")).toEqual([
      fixture.message,
      fixture.text.replace(/[\r\n]/g, " "),
      `${"-".repeat(fixture.offset)}^`,
      ...(fixture.hint === undefined ? [] : [fixture.hint]),
    ]);
  });

  test("the query is cut to about 200 characters around the caret", () => {
    const text = `f: ${"a".repeat(500)}:${"b".repeat(500)}`;
    const [, excerpt = "", pointer = ""] = catchError(() => parseKql(text)).message.split("\n");
    expect(excerpt).toBe(`…${"a".repeat(100)}:${"b".repeat(99)}…`);
    expect(excerpt.charAt(pointer.indexOf("^"))).toBe(":");
  });

  test("the cut leaves no half of a surrogate pair", () => {
    for (const shift of ["", "x"]) {
      const text = `f: ${shift}${"🏀".repeat(300)}:${"🏀".repeat(300)}`;
      const [, excerpt = "", pointer = ""] = catchError(() => parseKql(text)).message.split("\n");
      expect(excerpt.isWellFormed()).toBe(true);
      expect(excerpt).not.toContain("\ufffd");
      expect(excerpt.charAt(pointer.indexOf("^"))).toBe(":");
    }
  });
});

each<[string]>("what looks like date math is none, or is known", (text) => {
  expect(parseKql(text)).toEqual(parseStoredKql(text));
});

test("what looks like date math is the text that it was in a filter of an earlier release", () => {
  const value = { kind: "text", text: "now-1y", quoted: false };
  expect(parseStoredKql("t > now-1y")).toMatchObject({ type: "range", value });
  expect(catchError(() => parseStoredKql("t > ")).reason).toBe("KQL_SYNTAX");
});

/** Builds a filter of so many bytes, nodes or levels. */
const LIMITS: readonly [string, number, (size: number) => string][] = [
  ["bytes", 8_192, (size) => "a".repeat(size)],
  ["bytes", 8_192, (size) => "é".repeat(4000) + "a".repeat(size - 8000)],
  ["bytes", 8_192, (size) => "🏀".repeat(2000) + "a".repeat(size - 8000)],
  ["nodes", 256, (size) => `f: (${"a or ".repeat(size - 2)}a)`],
  ["nodes", 256, (size) => `p:{x: 1} and ${"a: 1 and ".repeat(size - 4)}a: 1`],
  ["nesting", 32, (size) => `${"(".repeat(size)}a${")".repeat(size)}`],
  ["nesting", 32, (size) => `${"p:{".repeat(size)}a: 1${"}".repeat(size)}`],
  ["nesting", 32, (size) => `p:{${"(".repeat(size - 2)}f: (a)${")".repeat(size - 2)}}`],
];

test.each(LIMITS)("the limit of %s holds at %s and fails one past it", (limit, maximum, build) => {
  for (const parse of [parseKql, parseKqlTemplate]) {
    expect(() => parse(build(maximum))).not.toThrow();
    const got = catchError(() => parse(build(maximum + 1)));
    expect([got.code, got.reason]).toEqual([Code.INVALID_ARGUMENT, "KQL_LIMIT"]);
    expect(got.metadata).toMatchObject({ limit, maximum: String(maximum) });
    expect(got.message).toContain(String(maximum));
  }
});

describe("printing", () => {
  test("a printed filter parses to the same tree", () => {
    fc.assert(
      fc.property(plainTree, (tree) => {
        const text = printKql(tree);
        expect(withoutSpans(parseKql(text))).toEqual(withoutSpans(tree));
        expect(withoutSpans(parseKqlTemplate(text))).toEqual(withoutSpans(tree));
      }),
      { numRuns: 1000 },
    );
  });

  test("a printed template parses to the same tree", () => {
    fc.assert(
      fc.property(templateTree, (tree) => {
        expect(withoutSpans(parseKqlTemplate(printKql(tree)))).toEqual(withoutSpans(tree));
      }),
      { numRuns: 1000 },
    );
  });

  test("any text becomes one value and nothing else", () => {
    fc.assert(
      fc.property(hostileText, fc.boolean(), (text, quoted) => {
        const value = { kind: "text", text, quoted } as const;
        const name = { kind: "exact", path: "f", quoted: false } as const;
        const printed = printKql({ type: "is", name, value, span: { start: 0, end: 0 } });
        const got = parseKql(`${printed} and g: 1`);
        if (got.type !== "and") throw new Error("the value took the operator");
        expect(got.items).toHaveLength(2);
        expect(got.items[0]).toMatchObject({ type: "is", name, value: { kind: "text", text } });
      }),
      { numRuns: 1000 },
    );
  });
});

describe("hostile text", () => {
  test("groups side by side do not count as nested", () => {
    const groups = Array.from({ length: 40 }, (_, index) => `(a: ${index})`);
    expect(() => parseKql(groups.join(" or "))).not.toThrow();
  });

  const STEPS_PER_CHARACTER = 12;

  /** Returns the tree, or undefined where the text is rejected as it should be. */
  function parseHostile(scanner: Scanner): KqlNode | undefined {
    try {
      return parseScanned(scanner);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      expect(["KQL_SYNTAX", "KQL_LIMIT"]).toContain(error.reason);
      expect(Number(error.metadata.offset)).toBeLessThanOrEqual(scanner.text.length);
      expect(error.message.isWellFormed()).toBe(true);
      return undefined;
    }
  }

  test("whatever the text, it parses or is rejected by a DomainError, in linear steps", () => {
    const text = fc.oneof(
      hostileText,
      fc.string({ unit: "binary", maxLength: 40 }),
      fc.array(hostileText, { maxLength: 12 }).map((texts) => texts.join(" ")),
    );
    fc.assert(
      fc.property(text, fc.boolean(), (query, template) => {
        const scanner = new Scanner(query, { template });
        const node = parseHostile(scanner);
        if (node !== undefined) matchKql(node, { a: [query, { b: 1 }] }, 0);
        expect(scanner.steps).toBeLessThanOrEqual(STEPS_PER_CHARACTER * (query.length + 1));
      }),
      { numRuns: 3000 },
    );
  });

  describe("the steps grow with the text and no faster", () => {
    const wrappers = ["", "f: ", "f: (…)", 'f: "…"', "p:{ …}", "a… a"].map((it) => it.split("…"));
    const count = (text: string, template: boolean) => {
      const scanner = new Scanner(text, { template });
      parseHostile(scanner);
      return scanner.steps;
    };
    each<[string]>("the steps grow with the text and no faster", (unit) => {
      for (const [before = "", after = ""] of wrappers) {
        for (const template of [false, true]) {
          for (const size of [500, 8_192 - 10]) {
            const body = unit.repeat(Math.floor((size - unit.length) / unit.length));
            const text = before + body + after;
            expect(count(text, template)).toBeLessThanOrEqual(STEPS_PER_CHARACTER * text.length);
          }
        }
      }
    });
  });
});
