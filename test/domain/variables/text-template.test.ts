import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Code } from "../../../src/domain/errors.ts";
import { isVariablePath, parseTextTemplate } from "../../../src/domain/variables/text-template.ts";

/** A literal as its text, a variable as its path in a list. */
const CASES: readonly (readonly [string, readonly (string | readonly [string])[]])[] = [
  ["", []],
  ["plain text", ["plain text"]],
  ["{id}", [["id"]]],
  ["{q}", [["q"]]],
  ["{event.fields.season.id}", [["event.fields.season.id"]]],
  ["{creative_work.id}", [["creative_work.id"]]],
  ["a{id}", ["a", ["id"]]],
  ["{id}b", [["id"], "b"]],
  ["a{id}b{q}c", ["a", ["id"], "b", ["q"], "c"]],
  ["{id}{q}", [["id"], ["q"]]],
  ["😀{id}ü", ["😀", ["id"], "ü"]],
  ["{_a.b-2.C_3}", [["_a.b-2.C_3"]]],
  ['"$[id] \\ %s', ['"$[id] \\ %s']],
  ["a\nb{id}\n", ["a\nb", ["id"], "\n"]],
];

describe("a text with variables is parsed", () => {
  for (const [text, want] of CASES) {
    test(JSON.stringify(text), () => {
      const parts = want.map((part) =>
        typeof part === "string"
          ? { kind: "literal", text: part }
          : { kind: "variable", path: part[0] },
      );
      expect(parseTextTemplate(text)).toEqual(parts);
    });
  }
});

describe("a malformed variable is refused with its place", () => {
  const cases: readonly (readonly [string, number])[] = [
    ["{", 0],
    ["}", 0],
    ["{}", 0],
    ["a{}", 1],
    ["{id", 0],
    ["id}", 2],
    ["}id}", 0],
    ["{id}}", 4],
    ["{{id}}", 0],
    ["{a{id}}", 0],
    ["{ id}", 0],
    ["{id }", 0],
    ["{a b}", 0],
    ["{a..b}", 0],
    ["{.a}", 0],
    ["{a.}", 0],
    ["{1a}", 0],
    ["{a.1}", 0],
    ["{-a}", 0],
    ["{a[0]}", 0],
    ["{ä}", 0],
    ["{a:b}", 0],
    ["{a\n}", 0],
    ["ok {id} then {b", 13],
    ["😀}", 2],
  ];
  for (const [text, offset] of cases) {
    test(`${JSON.stringify(text)} at ${offset}`, () => {
      expect(() => parseTextTemplate(text)).toThrow(
        expect.objectContaining({
          code: Code.INVALID_ARGUMENT,
          reason: "VARIABLE_MALFORMED",
          metadata: { offset: `${offset}`, column: `${offset + 1}` },
          message: expect.stringContaining(`column ${offset + 1}`),
        }),
      );
    });
  }
});

describe("for any text", () => {
  test("the parts give the text back", () => {
    const path = fc.array(fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,5}$/), {
      minLength: 1,
      maxLength: 4,
    });
    const part = fc.oneof(
      fc.string({ unit: "grapheme" }).map((text) => text.replaceAll(/[{}]/g, "")),
      path.map((names) => `{${names.join(".")}}`),
    );
    fc.assert(
      fc.property(fc.array(part), (texts) => {
        const text = texts.join("");
        const printed = parseTextTemplate(text).map((it) =>
          it.kind === "literal" ? it.text : `{${it.path}}`,
        );
        expect(printed.join("")).toBe(text);
      }),
    );
  });

  test("a variable is either read whole or refused", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("{", "}", "a", ".", "1", "-") }), (text) => {
        let parts: ReturnType<typeof parseTextTemplate>;
        try {
          parts = parseTextTemplate(text);
        } catch {
          return;
        }
        for (const part of parts) {
          if (part.kind === "variable") expect(isVariablePath(part.path)).toBe(true);
          else expect(part.text).not.toMatch(/[{}]/);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("a long text is parsed in a moment", () => {
    const start = performance.now();
    expect(parseTextTemplate("{id} ".repeat(200_000)).length).toBe(400_000);
    expect(() => parseTextTemplate("{".repeat(1_000_000))).toThrow();
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});
