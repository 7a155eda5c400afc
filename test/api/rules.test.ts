import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { rules } from "./rules.ts";

const ROOT = join(import.meta.dirname, "../..");

function pathOf(file: string): string {
  return join(ROOT, file.includes("/") ? file : join("test/api", file)).concat(".test.ts");
}

test("no rule is there twice", () => {
  const names = rules.map(([rule]) => rule);
  expect(names.filter((it, index) => names.indexOf(it) !== index)).toEqual([]);
});

test("each numbered rule of the specification is there", () => {
  const names = rules.map(([rule]) => rule);
  const numbered = [
    ...Array.from({ length: 8 }, (_, index) => `Operation ${index + 1}`),
    ...Array.from({ length: 12 }, (_, index) => `Create ruleset ${index + 1}`),
    ...Array.from({ length: 4 }, (_, index) => `Additional filters ${index + 1}`),
    ...Array.from({ length: 4 }, (_, index) => `Errors ${index + 1}`),
    ...Array.from({ length: 5 }, (_, index) => `Versioning ${index + 1}`),
    ...Array.from({ length: 6 }, (_, index) => `CONTRACT 2.${index + 1}`),
    ...Array.from({ length: 8 }, (_, index) => `CONTRACT 4.${index + 1}`),
  ];
  for (const rule of numbered) {
    expect(names.some((it) => new RegExp(`^${rule.replace(".", "\\.")}\\b`).test(it))).toBe(true);
  }
});

for (const [rule, ...held] of rules) {
  describe(rule, () => {
    test("is held by a test, or says why not", () => expect(held).not.toEqual([]));
    for (const one of held) {
      if (typeof one !== "string") continue;
      test(`is held by ${one}`, () => {
        const [file = "", ...parts] = one.split(" > ");
        const title = parts.join(" > ");
        expect(title.length).toBeGreaterThan(5);
        expect(existsSync(pathOf(file))).toBe(true);
        // Formatting wraps no text, so a title stands in one piece.
        expect(readFileSync(pathOf(file), "utf8").includes(title)).toBe(true);
      });
    }
  });
}
