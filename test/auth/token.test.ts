import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createToken, hashToken, isLive, kindOfToken } from "../../src/auth/token.ts";
import { openCases } from "../harness/cases.ts";

const each = openCases("auth/token");

describe("a random token", () => {
  test.each([
    ["access", "mqa_"],
    ["public", "mqp_"],
    ["preview", "mqv_"],
  ] as const)("of the kind %s begins with %s and holds 256 random bits", (kind, prefix) => {
    const token = createToken(kind);
    expect(token.startsWith(prefix)).toBe(true);
    expect(token.slice(prefix.length)).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(token.slice(prefix.length), "base64url").length).toBe(32);
    expect(kindOfToken(token)).toBe(kind);
  });

  test("is another one each time", () => {
    const tokens = new Set(Array.from({ length: 1_000 }, () => createToken("access")));
    expect(tokens.size).toBe(1_000);
  });

  each<[string]>("a random token is not", (text) => {
    expect(kindOfToken(text)).toBeUndefined();
  });

  test("is kept as its SHA-256, its prefix included", () => {
    const token = createToken("public");
    const want = createHash("sha256").update(token, "utf8").digest("hex");
    expect(Buffer.from(hashToken(token)).toString("hex")).toBe(want);
    expect(hashToken(token)).not.toEqual(hashToken(token.slice(4)));
  });
});

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
