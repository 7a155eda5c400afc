import { expect, test } from "vitest";
import { TrustedClock } from "../../src/outbox/trusted-clock.ts";
import { captureLog } from "../harness/captured-log.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 0, 1);

/** A clock that a test sets, and the time that passes. */
function createClock(newest?: number) {
  const { log, lines } = captureLog();
  let wall = START;
  let passed = 0;
  let reads = 0;
  const trusted = new TrustedClock({
    clock: () => new Date(wall),
    passed: () => passed,
    async findNewest() {
      reads += 1;
      return newest === undefined ? undefined : new Date(newest);
    },
    log,
  });
  return {
    lines,
    readsOfStored: () => reads,
    /** Lets time pass. */
    pass(milliseconds: number) {
      wall += milliseconds;
      passed += milliseconds;
    },
    /** Sets the clock, or stops the monotonic one while a machine is suspended. */
    jump(milliseconds: number) {
      wall += milliseconds;
    },
    async isTrusted() {
      const time = await trusted.read();
      if (time !== undefined) expect(time.getTime()).toBe(wall);
      return time !== undefined;
    },
  };
}

test("a clock that goes on as the time that passes is trusted, also with an empty database", async () => {
  for (const newest of [undefined, START - HOUR, START]) {
    const clock = createClock(newest);
    for (const pause of [0, 1_000, HOUR, 400 * DAY]) {
      clock.pass(pause);
      expect(await clock.isTrusted()).toBe(true);
    }
    expect([clock.lines, clock.readsOfStored()]).toEqual([[], 1]);
  }
});

test("a clock that jumps ahead is not trusted until it is back", async () => {
  const clock = createClock(START);
  expect(await clock.isTrusted()).toBe(true);
  for (let time = 1; time <= 2; time += 1) {
    clock.jump(400 * DAY);
    expect(await clock.isTrusted()).toBe(false);
    clock.pass(3_000);
    expect(await clock.isTrusted()).toBe(false);
    clock.jump(-400 * DAY);
    expect(await clock.isTrusted()).toBe(true);
  }
  expect(clock.lines.map(({ level, msg, ahead_seconds }) => [level, msg, ahead_seconds])).toEqual(
    [1, 2].flatMap(() => [
      [40, "clock may be ahead, deletes nothing until it is back or goes on for a day", 34_560_000],
      [40, "clock is trusted again, deletes what is old", undefined],
    ]),
  );
});

test("it is trusted five minutes ahead, and not a moment more", async () => {
  const clock = createClock(START);
  expect(await clock.isTrusted()).toBe(true);
  clock.jump(5 * MINUTE);
  expect(await clock.isTrusted()).toBe(true);
  clock.jump(5 * MINUTE + 1);
  expect(await clock.isTrusted()).toBe(false);
});

test("a clock that is wrong at the start is not trusted until it is set right", async () => {
  const clock = createClock(START - 400 * DAY);
  expect(await clock.isTrusted()).toBe(false);
  clock.pass(HOUR);
  expect(await clock.isTrusted()).toBe(false);
  clock.jump(-400 * DAY);
  expect(await clock.isTrusted()).toBe(true);
  clock.jump(400 * DAY);
  expect(await clock.isTrusted()).toBe(false);
});

test("an installation without writes is trusted at its start for a day, and otherwise after a day", async () => {
  expect(await createClock(START - DAY).isTrusted()).toBe(true);
  const clock = createClock(START - DAY - 1);
  expect(await clock.isTrusted()).toBe(false);
  clock.pass(DAY - 1);
  expect(await clock.isTrusted()).toBe(false);
  clock.pass(1);
  expect(await clock.isTrusted()).toBe(true);
  expect(clock.readsOfStored()).toBe(1);
});

test("a machine that was suspended is trusted after a day, unless its clock jumps meanwhile", async () => {
  const clock = createClock(START);
  expect(await clock.isTrusted()).toBe(true);
  clock.jump(8 * HOUR);
  expect(await clock.isTrusted()).toBe(false);
  clock.pass(DAY - 1_000);
  clock.jump(6 * MINUTE);
  expect(await clock.isTrusted()).toBe(false);
  clock.pass(DAY - 1);
  expect(await clock.isTrusted()).toBe(false);
  clock.pass(1);
  expect(await clock.isTrusted()).toBe(true);
});

test("a clock that is behind deletes nothing early: it is trusted, and so it is when it is back", async () => {
  for (const newest of [START, START + 400 * DAY]) {
    const clock = createClock(newest);
    expect(await clock.isTrusted()).toBe(true);
    clock.jump(-400 * DAY);
    expect(await clock.isTrusted()).toBe(true);
    clock.pass(3_000);
    clock.jump(400 * DAY);
    expect(await clock.isTrusted()).toBe(true);
    expect(clock.lines).toEqual([]);
  }
});
