import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createToken, hashToken, kindOfToken } from "../../src/auth/token.ts";
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
