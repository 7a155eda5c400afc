import { expect, test } from "vitest";
import { isLive } from "../../../src/domain/access/access-token.ts";

const at = (ms: number) => new Date(1_000_000 + ms);

test("a token lives until it expires", () => {
  const lives = (offset: number) => isLive({ expireTime: at(1_000) }, at(offset));
  expect([-1, 0, 999].map(lives)).toEqual([true, true, true]);
  expect([1_000, 1_001].map(lives)).toEqual([false, false]);
  expect(isLive({}, new Date(8.64e15))).toBe(true);
});

test("a revoked token does not live, not even before that moment", () => {
  expect([0, 10, 20].map((offset) => isLive({ revokeTime: at(10) }, at(offset)))).toEqual([
    false,
    false,
    false,
  ]);
});
