import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { toUserId } from "../../src/auth/identity-token.ts";

const A = "https://a.example";
const B = "https://b.example";

test("a kept subject is the id, whatever it looks like", () => {
  for (const subject of ["user-1", "sub_", `sub_${"x".repeat(42)}`, `sub_${"x".repeat(44)}`, "é"]) {
    expect(toUserId(A, subject, true)).toBe(subject);
  }
});

test("any other id is sub_ and the SHA-256 of issuer, newline and subject", () => {
  const digest = createHash("sha256").update("https://a.example\nuser-1").digest("base64url");
  expect(toUserId(A, "user-1", false)).toBe(`sub_${digest}`);
  expect(toUserId(A, "user-1", false)).toBe("sub_cXFqBp2yDzwr7HMQcQfxbdLougcdEah1_aek2wZbj4g");
});

test("no two of issuer and subject have one id, not even those that are made to", () => {
  const wanted = toUserId(B, "victim", false);
  const users = [
    [A, "victim", true],
    [A, wanted, true],
    [A, toUserId(A, wanted, true), true],
    [B, "victim", false],
    [B, wanted, false],
    [B, "v", false],
  ] as const;
  const ids = users.map(([issuer, subject, keeps]) => toUserId(issuer, subject, keeps));
  expect(new Set(ids).size).toBe(users.length);
});
