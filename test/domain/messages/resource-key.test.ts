import { describe, expect, test } from "vitest";
import { Code } from "../../../src/domain/errors.ts";
import {
  parseResourceKey,
  printResourceKey,
  type ResourceKey,
} from "../../../src/domain/messages/resource-key.ts";

describe("a resource key is parsed and printed (contract: access 7)", () => {
  const cases: readonly (readonly [string, ResourceKey])[] = [
    ["acme/organization", { type: "organization", id: "acme" }],
    ["p/p/project", { type: "project", id: "p", projectId: "p" }],
    ["c-1/p/page_component", { type: "page_component", id: "c-1", projectId: "p" }],
    ["Å 1/P%/ruleset", { type: "ruleset", id: "Å 1", projectId: "P%" }],
    ["x/p/nobody_knows_2", { type: "nobody_knows_2", id: "x", projectId: "p" }],
    ["organization/organization", { type: "organization", id: "organization" }],
  ];
  for (const [text, want] of cases) {
    test(text, () => {
      expect(parseResourceKey(text)).toEqual(want);
      expect(printResourceKey(want)).toBe(text);
    });
  }

  const malformed = [
    "",
    "/",
    "acme",
    "acme/",
    "/organization",
    "acme/project",
    "p/project",
    "p/q/project",
    "P/p/project",
    "p/p/organization",
    "acme/organization/",
    "/acme/organization",
    "c//page_component",
    "/p/page_component",
    "c/p/",
    "c/p/Page",
    "c/p/page component",
    "c/p/1page",
    "c/p/_page",
    "c/p/page-component",
    "c/p/page_component/extra",
    "a/b/c/d/e",
    "acme/Organization",
    "c/p/page\n",
  ];
  for (const text of malformed) {
    test(`${JSON.stringify(text)} is malformed`, () => {
      expect(() => parseResourceKey(text)).toThrow(
        expect.objectContaining({
          code: Code.INVALID_ARGUMENT,
          reason: "RESOURCE_KEY_MALFORMED",
          metadata: { resource_key: text },
        }),
      );
    });
  }
});
