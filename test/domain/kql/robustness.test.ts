import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DomainError } from "../../../src/domain/errors.ts";
import { type KqlNode, matchKql, parseKql } from "../../../src/domain/kql/index.ts";
import { parseScanned } from "../../../src/domain/kql/parser.ts";
import { Scanner } from "../../../src/domain/kql/scanner.ts";
import { hostileText } from "./arbitraries.ts";

test("groups side by side do not count as nested", () => {
  const groups = Array.from({ length: 40 }, (_, index) => `(a: ${index})`);
  expect(() => parseKql(groups.join(" or "))).not.toThrow();
});

const STEPS_PER_CHARACTER = 12;

/** Answers the tree, or undefined where the text is refused as it should be. */
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

test("whatever the text, it parses or is refused by a DomainError, in linear steps", () => {
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
  const units = [
    "a",
    " ",
    "not ",
    "not",
    "n",
    "or ",
    " and a",
    " or  and ",
    "(",
    "( ",
    "(not ",
    "f:(",
    "p:{",
    "p:{ ",
    "{",
    "{a",
    "{a.b",
    "f:{a",
    "{a}",
    "{a b}",
    '"',
    '"{',
    "\\",
    "\\*",
    "\\not",
    "*",
    "a:",
    "a: 1 or ",
    "a:(1) and  ",
    "((a) ",
  ];
  const wrappers: readonly (readonly [string, string])[] = [
    ["", ""],
    ["f: ", ""],
    ["f: (", ")"],
    ['f: "', '"'],
    ["p:{ ", "}"],
    ["a", " a"],
  ];
  const count = (text: string, template: boolean) => {
    const scanner = new Scanner(text, { template });
    parseHostile(scanner);
    return scanner.steps;
  };
  for (const unit of units) {
    test(JSON.stringify(unit), () => {
      for (const [before, after] of wrappers) {
        for (const template of [false, true]) {
          for (const size of [500, 8_192 - 10]) {
            const body = unit.repeat(Math.floor((size - unit.length) / unit.length));
            const text = before + body + after;
            expect(count(text, template)).toBeLessThanOrEqual(STEPS_PER_CHARACTER * text.length);
          }
        }
      }
    });
  }
});
