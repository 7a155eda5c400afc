import { describe, expect, test } from "vitest";
import { readRetryAfter } from "../../src/outbox/retry-after.ts";

const DATE = "Sun, 06 Nov 1994 08:49:37 GMT";

describe("Retry-After", () => {
  test.each<[text: string, date: string, want: number | undefined]>([
    ["0", "", 0],
    ["120", "", 120],
    [" 7 ", "", 7],
    ["9".repeat(400), "", Number.MAX_SAFE_INTEGER],
    ["Sun, 06 Nov 1994 08:51:37 GMT", DATE, 120],
    ["Sun, 06 Nov 1994 08:49:37 GMT", DATE, 0],
    ["Sun, 06 Nov 1994 08:48:37 GMT", DATE, 0],
    ["Sun, 06 Nov 1994 08:51:37 GMT", "", undefined],
    ["Sun, 06 Nov 1994 08:51:37 GMT", "yesterday", undefined],
    ["Sun, 99 Nov 1994 08:51:37 GMT", DATE, undefined],
    ["", DATE, undefined],
    ["-1", DATE, undefined],
    ["5.5", DATE, undefined],
    ["1e3", DATE, undefined],
    ["2030", DATE, 2_030],
    ["2030-01-01", DATE, undefined],
    ["soon", DATE, undefined],
  ])("%s", (text, date, want) => {
    expect(readRetryAfter({ "retry-after": text, date })).toBe(want);
  });

  test("may be absent", () => expect(readRetryAfter({})).toBeUndefined());
});
