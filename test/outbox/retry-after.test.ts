import { expect, test } from "vitest";
import { readRetryAfter } from "../../src/outbox/send.ts";
import { openCases } from "../harness/cases.ts";

const each = openCases("outbox/retry-after");

each<[string, string, number?]>("Retry-After of a response with a date", (text, date, want) => {
  expect(readRetryAfter({ "retry-after": text, date })).toBe(want);
});

test("Retry-After has no end, and may be absent", () => {
  const got = readRetryAfter({ "retry-after": "9".repeat(400), date: "" });
  expect([got, readRetryAfter({})]).toEqual([Number.MAX_SAFE_INTEGER, undefined]);
});
