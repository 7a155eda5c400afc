import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createToken, hashToken, kindOfToken } from "../../src/auth/token.ts";

const KINDS = [
  ["access", "mqa_"],
  ["public", "mqp_"],
  ["preview", "mqv_"],
] as const;

describe("a random token", () => {
  for (const [kind, prefix] of KINDS) {
    test(`of the kind ${kind} begins with ${prefix} and holds 256 random bits`, () => {
      const token = createToken(kind);
      expect(token.startsWith(prefix)).toBe(true);
      expect(token.slice(prefix.length)).toMatch(/^[A-Za-z0-9_-]{43}$/);
      expect(Buffer.from(token.slice(prefix.length), "base64url").length).toBe(32);
      expect(kindOfToken(token)).toBe(kind);
    });
  }

  test("is another one each time", () => {
    const tokens = new Set(Array.from({ length: 1_000 }, () => createToken("access")));
    expect(tokens.size).toBe(1_000);
  });

  for (const text of ["", "mqa", "mqx_abc", "MQA_abc", " mqa_abc", "eyJhbGciOiJub25lIn0.e30."]) {
    test(`is not ${JSON.stringify(text)}`, () => expect(kindOfToken(text)).toBeUndefined());
  }

  test("is kept as its SHA-256, its prefix included", () => {
    const token = createToken("public");
    const want = createHash("sha256").update(token, "utf8").digest("hex");
    expect(Buffer.from(hashToken(token)).toString("hex")).toBe(want);
    expect(hashToken(token)).not.toEqual(hashToken(token.slice(4)));
  });
});
