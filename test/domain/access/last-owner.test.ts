import { describe, expect, test } from "vitest";
import { checkOwnerRemains } from "../../../src/domain/access/binding.ts";

describe("an organization keeps an owner", () => {
  for (const [owners, leaving, isRefused] of [
    [[], [], false],
    [["a"], [], false],
    [["a"], ["a"], true],
    [["a", "b"], ["a"], false],
    [["a", "a"], ["a"], true],
    [["a", "b"], ["a", "b"], true],
    [[], ["a"], false],
  ] as const) {
    test(`of [${owners}] go [${leaving}]: ${isRefused ? "refused" : "let go"}`, () => {
      const check = () =>
        checkOwnerRemains("o", owners, (it) => (leaving as readonly string[]).includes(it));
      if (isRefused) expect(check).toThrow(expect.objectContaining({ reason: "LAST_OWNER" }));
      else check();
    });
  }
});
