import type { JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Scope } from "../../../src/domain/variables/text-template.ts";
import {
  isVariablePath,
  parseFreeTemplate,
  parseTextTemplate,
  resolveTemplate,
  resolveText,
} from "../../../src/domain/variables/text-template.ts";
import { openCases } from "../../harness/cases.ts";
import { readCpu } from "../../harness/cpu-time.ts";
import { rejection } from "../../harness/rejection.ts";
import { expectWithin, MACHINE } from "../../harness/turns.ts";
import { hostileText } from "../kql/arbitraries.ts";

const each = openCases("variables/text-template");

each<[string, readonly (string | readonly [string])[]]>(
  "a text with variables is parsed",
  (text, want) => {
    const parts = want.map((part) =>
      typeof part === "string"
        ? { kind: "literal", text: part }
        : { kind: "variable", path: part[0] },
    );
    expect(parseTextTemplate(text)).toEqual(parts);
  },
);

each<[string, number]>("a malformed variable is rejected with its place", (text, offset) => {
  expect(() => parseTextTemplate(text)).toThrow(
    rejection("VARIABLE_MALFORMED", undefined, {
      message: expect.stringContaining(`column ${offset + 1}`),
      metadata: { offset: `${offset}`, column: `${offset + 1}` },
    }),
  );
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

  test("a variable is either read whole or rejected", () => {
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
    const start = readCpu();
    expect(parseTextTemplate("{id} ".repeat(200_000)).length).toBe(400_000);
    expect(() => parseTextTemplate("{".repeat(1_000_000))).toThrow();
    expectWithin(readCpu() - start, 600 * MACHINE);
  });
});

describe("resolving", () => {
  const resolveFreeText = (text: string, scope: Scope) =>
    resolveTemplate(parseFreeTemplate(text), scope);

  const VALUES: Readonly<Record<string, JsonValue>> = {
    id: "e1",
    n: 1.5,
    zero: 0,
    yes: true,
    no: false,
    brace: "{id}",
    quote: '"\\',
    list: ["a"],
    object: { a: 1 },
    nothing: null,
    "event.fields.season.id": "s9",
  };
  const scope = (path: string) => VALUES[path];

  each<[string, string]>("a text is filled with values", (template, want) => {
    expect(resolveText(template, scope)).toEqual({ kind: "resolved", text: want });
  });

  test.each<[string, string]>([
    ["{missing}", "missing"],
    ["{id} {event.missing} {other}", "event.missing"],
    ["{list}", "list"],
    ["{object}", "object"],
    ["{nothing}", "nothing"],
  ])("a text names the first variable without a value: %s: %s", (template, variable) => {
    expect(resolveText(template, scope)).toEqual({ kind: "unresolved", variable });
  });

  test("the values of a text are 8,192 characters together at most", () => {
    const read = (path: string) => ({ long: "x".repeat(8_191), one: "y" })[path];
    for (const resolve of [resolveText, resolveFreeText]) {
      const text = `a${"x".repeat(8_191)}by`;
      expect(resolve("a{long}b{one}", read)).toEqual({ kind: "resolved", text });
      expect(resolve("{long}{one}{one}", read)).toEqual({ kind: "unresolved", variable: "one" });
    }
  });

  test("a text of free JSON keeps braces that are no variable's, in time that grows as it does", () => {
    const kept = (size: number) => ["{".repeat(2 * size), "{a".repeat(size)];
    for (const template of ["{", "}{", "{}{a b}", ...kept(100_000)]) {
      expect(resolveFreeText(template, scope)).toEqual({ kind: "resolved", text: template });
    }
    const measure = (template: string) => {
      const start = readCpu();
      resolveFreeText(template, scope);
      return readCpu() - start;
    };
    const halves = kept(50_000).map(measure);
    for (const [index, template] of kept(100_000).entries()) {
      expectWithin(measure(template), 3 * (halves[index] ?? 0) + 15 * MACHINE);
    }
    expect(resolveFreeText("{{id}}", scope)).toEqual({ kind: "resolved", text: "{e1}" });
  });

  test("a broken template is rejected", () => {
    expect(() => resolveText("{id", scope)).toThrow(rejection("VARIABLE_MALFORMED"));
  });

  describe("for any value", () => {
    const literal = fc.string({ unit: "grapheme" }).map((text) => text.replaceAll(/[{}]/g, ""));

    test("the text is the literals with the values between, never resolved again", () => {
      fc.assert(
        fc.property(literal, literal, literal, hostileText, hostileText, (a, b, c, id, q) => {
          const read = (path: string) => ({ id, q })[path];
          const got = resolveText(`${a}{id}${b}{q}${c}{id}`, read);
          expect(got).toEqual({ kind: "resolved", text: `${a}${id}${b}${q}${c}${id}` });
        }),
      );
    });

    test("no brace of the template is left", () => {
      fc.assert(
        fc.property(
          fc.array(fc.constantFrom("{id}", "{event.id}", "x", " ")),
          literal,
          (parts, it) => {
            const got = resolveText(parts.join(""), () => it);
            expect(got).toEqual({ kind: "resolved", text: expect.not.stringMatching(/[{}]/) });
          },
        ),
      );
    });
  });
});
