import type { JsonValue } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Scope } from "../../../src/domain/variables/scope.ts";
import {
  parseFreeTemplate,
  resolveTemplate,
  resolveText,
} from "../../../src/domain/variables/text-template.ts";
import { hostileText } from "../kql/arbitraries.ts";

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

describe("a text is filled with values", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["", ""],
    ["plain", "plain"],
    ["{id}", "e1"],
    ["a{id}b{n}c", "ae1b1.5c"],
    ["{zero}{yes}{no}", "0truefalse"],
    ["{event.fields.season.id}-x", "s9-x"],
    ["{brace}", "{id}"],
    ["{brace}{id}", "{id}e1"],
    ["{quote}", '"\\'],
  ];
  for (const [template, want] of cases) {
    test(`${template} gives ${want}`, () => {
      expect(resolveText(template, scope)).toEqual({ kind: "resolved", text: want });
    });
  }
});

describe("a text names the first variable without a value", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["{missing}", "missing"],
    ["{id} {event.missing} {other}", "event.missing"],
    ["{list}", "list"],
    ["{object}", "object"],
    ["{nothing}", "nothing"],
  ];
  for (const [template, variable] of cases) {
    test(`${template}: ${variable}`, () => {
      expect(resolveText(template, scope)).toEqual({ kind: "unresolved", variable });
    });
  }
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
  const kept = ["{", "}{", "{}{a b}", "{".repeat(200_000), `${"{a".repeat(100_000)}}`.slice(0, -1)];
  for (const template of kept) {
    const started = performance.now();
    expect(resolveFreeText(template, scope)).toEqual({ kind: "resolved", text: template });
    expect(performance.now() - started).toBeLessThan(500);
  }
  expect(resolveFreeText("{{id}}", scope)).toEqual({ kind: "resolved", text: "{e1}" });
});

test("a broken template is refused", () => {
  expect(() => resolveText("{id", scope)).toThrow(
    expect.objectContaining({ reason: "VARIABLE_MALFORMED" }),
  );
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
