import { describe, expect, test } from "vitest";
import { Code, DomainError } from "../../../src/domain/errors.ts";
import {
  type KqlNode,
  parseKql,
  parseKqlTemplate,
  parseStoredKql,
  printKql,
} from "../../../src/domain/kql/index.ts";
import { readCases, withoutSpans } from "./fixtures.ts";

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
}

function parseCase({ text, template }: { text: string; template?: boolean }): KqlNode {
  return template === true ? parseKqlTemplate(text) : parseKql(text);
}

function catchError(run: () => unknown): DomainError {
  try {
    run();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("a filter parses", () => {
  for (const fixture of readCases<ValidCase>("valid")) {
    test(JSON.stringify(fixture.text), () => {
      const got = parseCase(fixture);
      expect(printKql(got)).toBe(fixture.print);
      if (fixture.tree !== undefined) expect(withoutSpans(got)).toEqual(fixture.tree);
      expect(withoutSpans(parseCase({ ...fixture, text: fixture.print }))).toEqual(
        withoutSpans(got),
      );
    });
  }

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

describe("a broken filter is refused where it breaks", () => {
  for (const fixture of readCases<InvalidCase>("invalid")) {
    test(JSON.stringify(fixture.text), () => {
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
      ]);
    });
  }

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

describe("what looks like date math", () => {
  for (const text of [
    ...["t > nowhere", "t > now-playing", "t > knows/w", "t >= 2026-01", "t: now-1y", "now/w"],
    ...["t > now", 't > "now-2h"', "t > now+7d/d", "t > now-0w/d"],
  ]) {
    test(`${text} is none, or is known`, () => {
      expect(parseKql(text)).toEqual(parseStoredKql(text));
    });
  }

  test("is the text that it was in a filter of an earlier release", () => {
    const value = { kind: "text", text: "now-1y", quoted: false };
    expect(parseStoredKql("t > now-1y")).toMatchObject({ type: "range", value });
    expect(catchError(() => parseStoredKql("t > ")).reason).toBe("KQL_SYNTAX");
  });
});

describe("a limit holds at its number and fails one past it", () => {
  const list = (count: number) => `f: (${Array(count).fill("a").join(" or ")})`;
  const cases = [
    { limit: "bytes", maximum: 8_192, build: (size: number) => "a".repeat(size) },
    {
      limit: "bytes",
      maximum: 8_192,
      build: (size: number) => "é".repeat(4000) + "a".repeat(size - 8000),
    },
    {
      limit: "bytes",
      maximum: 8_192,
      build: (size: number) => "🏀".repeat(2000) + "a".repeat(size - 8000),
    },
    { limit: "nodes", maximum: 256, build: (size: number) => list(size - 1) },
    {
      limit: "nodes",
      maximum: 256,
      build: (size: number) =>
        `p:{x: 1} and ${Array(size - 3)
          .fill("a: 1")
          .join(" and ")}`,
    },
    {
      limit: "nesting",
      maximum: 32,
      build: (size: number) => `${"(".repeat(size)}a${")".repeat(size)}`,
    },
    {
      limit: "nesting",
      maximum: 32,
      build: (size: number) => `${"p:{".repeat(size)}a: 1${"}".repeat(size)}`,
    },
    {
      limit: "nesting",
      maximum: 32,
      build: (size: number) => `p:{${"(".repeat(size - 2)}f: (a)${")".repeat(size - 2)}}`,
    },
  ];
  for (const { limit, maximum, build } of cases) {
    for (const parse of [parseKql, parseKqlTemplate]) {
      test(`${parse.name}: ${limit} of ${build(maximum).slice(0, 12)}…`, () => {
        expect(() => parse(build(maximum))).not.toThrow();
        const got = catchError(() => parse(build(maximum + 1)));
        expect(got.code).toBe(Code.INVALID_ARGUMENT);
        expect(got.reason).toBe("KQL_LIMIT");
        expect(got.metadata).toMatchObject({ limit, maximum: String(maximum) });
        expect(got.message).toContain(String(maximum));
      });
    }
  }
});
