import { describe, expect, test } from "vitest";
import { type Attempt, decideNext } from "../../src/outbox/attempt.ts";
import { readRetryAfter, type SendFailure, type SendOutcome } from "../../src/outbox/send.ts";
import { openCases } from "../harness/cases.ts";

const each = openCases("outbox/retry");
const eachHeader = openCases("outbox/retry-after");

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const FIRST = new Date("2026-07-01T12:00:00Z");
const later = (time: number) => new Date(FIRST.getTime() + time);

const responded = (status: number, retryAfterSeconds?: number): SendOutcome => ({
  kind: "responded",
  status,
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
});
const failed = (reason: SendFailure): SendOutcome => ({ kind: "failed", reason, detail: "" });

const decide = (attempt: Partial<Attempt> = {}) =>
  decideNext({
    attempt: 1,
    outcome: responded(500),
    now: FIRST,
    firstTime: FIRST,
    random: () => 0,
    ...attempt,
  });
const retryIn = (seconds: number) => later(seconds * SECOND);

each<["responded" | "failed", number | SendFailure, string | number, number?]>(
  "an outcome leads to",
  (kind, what, want, retryAfter) => {
    const outcome =
      kind === "responded" ? responded(Number(what), retryAfter) : failed(what as SendFailure);
    expect(decide({ outcome })).toEqual(typeof want === "number" ? retryIn(want) : want);
  },
);

describe("the wait", () => {
  const table = [5, 20, 80, 320, 1_280, 5_120, 20_480, 21_600, 21_600];
  for (const [index, seconds] of table.entries()) {
    test(`after attempt ${index + 1} is ${seconds} seconds, and at most a tenth more`, () => {
      expect(decide({ attempt: index + 1 })).toEqual(retryIn(seconds));
      expect(decide({ attempt: index + 1, random: () => 0.5 })).toEqual(retryIn(seconds * 1.05));
      expect(decide({ attempt: index + 1, random: () => 1 })).toEqual(retryIn(seconds * 1.1));
    });
  }

  test("after a million attempts is 6 hours", () => {
    expect(decide({ attempt: 1_000_000 })).toEqual(retryIn(21_600));
  });
});

each<[number, number, number]>(
  "the wait after an attempt, if the receiver asks for seconds",
  (attempt, retryAfter, want) => {
    expect(decide({ attempt, outcome: responded(503, retryAfter) })).toEqual(retryIn(want));
  },
);

describe("72 hours after the first attempt", () => {
  const over = "give_up";

  test("another one may still be made, and none a millisecond later", () => {
    const last = later(66 * HOUR);
    expect(decide({ attempt: 9, now: last })).toEqual(later(72 * HOUR));
    expect(decide({ attempt: 9, now: later(66 * HOUR + 1) })).toEqual(over);
    expect(decide({ attempt: 9, now: last, random: () => 0.001 })).toEqual(over);
  });

  test("a receiver's wish counts no more", () => {
    const outcome = responded(503, 86_400);
    expect(decide({ outcome, now: later(48 * HOUR) })).toEqual(later(72 * HOUR));
    expect(decide({ outcome, now: later(48 * HOUR + 1) })).toEqual(over);
  });

  test("an attempt that then succeeds is done", () => {
    expect(decide({ outcome: responded(200), now: later(100 * HOUR) })).toBe("done");
  });

  test.each([
    [0, 18],
    [1, 17],
  ] as const)("it was tried %s", (jitter, want) => {
    let now = FIRST;
    let attempt = 1;
    for (;;) {
      const next = decide({ attempt, now, random: () => jitter });
      if (!(next instanceof Date)) break;
      now = next;
      attempt += 1;
    }
    expect(attempt).toBe(want);
  });
});

eachHeader<[string, string, number?]>(
  "Retry-After of a response with a date",
  (text, date, want) => {
    expect(readRetryAfter({ "retry-after": text, date })).toBe(want);
  },
);

test("Retry-After has no end, and may be absent", () => {
  const got = readRetryAfter({ "retry-after": "9".repeat(400), date: "" });
  expect([got, readRetryAfter({})]).toEqual([Number.MAX_SAFE_INTEGER, undefined]);
});
