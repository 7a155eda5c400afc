import { expect } from "vitest";
import {
  parseResourceKey,
  printResourceKey,
  type ResourceKey,
} from "../../../src/domain/access/permissions.ts";
import { openCases } from "../../harness/cases.ts";
import { refusal } from "../../harness/refusal.ts";

const each = openCases("messages/resource-key");

each<[string, ResourceKey]>(
  "a resource key is parsed and printed (contract: access 7)",
  (text, want) => {
    expect(parseResourceKey(text)).toEqual(want);
    expect(printResourceKey(want)).toBe(text);
  },
);

each<[string]>("a resource key is malformed", (text) => {
  expect(() => parseResourceKey(text)).toThrow(
    refusal("RESOURCE_KEY_MALFORMED", undefined, { metadata: { resource_key: text } }),
  );
});
