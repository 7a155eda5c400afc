import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { WindowSchema } from "../../../gen/svc/type/v1/window_pb.ts";
import { checkAvailability, isOpen } from "../../../src/domain/content/window.ts";
import { errorOf } from "../../harness/rejection.ts";

/** A time in seconds since 1970, and nanoseconds. */
type Time = readonly [seconds: number, nanos?: number];

function toWindow([start, end]: readonly [start?: Time | undefined, end?: Time | undefined]) {
  const toTimestamp = ([seconds, nanos = 0]: Time) => ({ seconds: BigInt(seconds), nanos });
  return create(WindowSchema, {
    ...(start && { startTime: toTimestamp(start) }),
    ...(end && { endTime: toTimestamp(end) }),
  });
}

test.each([
  [[[10], [20]], 9_999, false, 10_000],
  [[[10], [20]], 10_000, true, 20_000],
  [[[10], [20]], 19_999, true, 20_000],
  [[[10], [20]], 20_000, false, undefined],
  [[[10], [20]], 25_000, false, undefined],
  [[[10]], 9_999, false, 10_000],
  [[[10]], 10_000, true, undefined],
  [[undefined, [20]], 19_999, true, 20_000],
  [[undefined, [20]], 20_000, false, undefined],
  [[[10, 1]], 10_000, false, 10_001],
  [[undefined, [20, 1]], 20_000, true, 20_001],
  [[], 0, true, undefined],
] as const)(
  "a window from and to %j at %d ms: open %s, for a response until %s",
  (times, now, open, until) => {
    let limit: number | undefined;
    const limitUntil = (time: number) => {
      limit = time;
    };
    expect(isOpen(toWindow(times), { time: new Date(now), limitUntil })).toBe(open);
    expect(limit).toBe(until);
  },
);

test.each([
  [[[0]], undefined],
  [[[-1, 999_999_999]], "WINDOW_INVALID"],
  [[undefined, [0]], undefined],
  [[undefined, [-1, 999_999_999]], "WINDOW_INVALID"],
  [[[10], [10, 1]], undefined],
  [[[10], [10]], "WINDOW_INVALID"],
  [[[10, 1], [10]], "WINDOW_INVALID"],
] as const)("a window from and to %j is rejected with %s", (times, reason) => {
  const check = () => checkAvailability({ availability: toWindow(times) }, "event");
  expect(errorOf(check)?.reason).toBe(reason);
});
