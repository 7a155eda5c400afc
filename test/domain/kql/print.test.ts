import fc from "fast-check";
import { expect, test } from "vitest";
import { parseKql, parseKqlTemplate, printKql } from "../../../src/domain/kql/index.ts";
import { hostileText, plainTree, templateTree } from "./arbitraries.ts";
import { withoutSpans } from "./fixtures.ts";

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
