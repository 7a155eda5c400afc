import fc from "fast-check";
import { expect, test } from "vitest";
import { RATE_WINDOW, RateLimiter } from "../../../src/http/listener/rate-limits.ts";

const MINUTE = 28_000_000;

function createAt(quota: number, at = { seconds: 0 }) {
  const clock = () => new Date(MINUTE * RATE_WINDOW + at.seconds * 1_000);
  return new RateLimiter(quota, clock);
}

test("as many requests as the quota pass, and one more does not", () => {
  const limiter = createAt(3);
  const taken = Array.from({ length: 4 }, () => limiter.take("a"));
  expect(taken.map((it) => [it.isOver, it.remaining])).toEqual([
    [false, 2],
    [false, 1],
    [false, 0],
    [true, 0],
  ]);
});

test("keys are counted apart", () => {
  const limiter = createAt(1);
  expect([limiter.take("a"), limiter.take("b")].map((it) => it.isOver)).toEqual([false, false]);
  expect(limiter.take("a").isOver).toBe(true);
});

test("the next window begins anew, at the full minute", () => {
  const at = { seconds: 59.2 };
  const limiter = createAt(1, at);
  expect(limiter.take("a")).toEqual({ isOver: false, remaining: 0, reset: 1 });
  expect(limiter.take("a")).toEqual({ isOver: true, remaining: 0, reset: 1 });
  at.seconds = 60;
  expect(limiter.take("a")).toEqual({ isOver: false, remaining: 0, reset: 60 });
});

test("100,000 keys are counted apart, and none passes its limit by hiding among more", () => {
  const limiter = createAt(100);
  const noise = (count: number) => {
    for (let key = 0; key < count; key += 1) limiter.take(`${noiseKeys++}`);
  };
  let noiseKeys = 0;
  let admitted = 0;
  for (let round = 0; round < 12; round += 1) {
    for (let time = 0; time < 10; time += 1) {
      if (!limiter.take("heavy").isOver) admitted += 1;
    }
    noise(30_000);
  }
  expect(admitted).toBeLessThanOrEqual(100);
  expect(limiter.take("heavy").isOver).toBe(true);
  // Others are taken to have used what those have that were forgotten, which is one request each.
  const { remaining, isOver } = limiter.take("light");
  expect(isOver).toBe(false);
  expect(remaining).toBeGreaterThanOrEqual(90);
  // Assumptions are not shared with other processes.
  expect([...limiter.listUnshared().counts.keys()]).toEqual(["heavy"]);
});

test("further keys than can be counted are rejected once all use up their limit", () => {
  const limiter = createAt(1);
  for (let round = 0; round < 2; round += 1) {
    for (let key = 0; key < 100_000; key += 1) limiter.take(String(key));
  }
  expect(limiter.take("new").isOver).toBe(true);
});

test("the next window forgets what was forgotten in the one before", () => {
  const at = { seconds: 0 };
  const limiter = createAt(3, at);
  for (let key = 0; key < 150_000; key += 1) limiter.take(String(key));
  expect(limiter.take("new").remaining).toBe(1);
  at.seconds = 60;
  expect(limiter.take("new").remaining).toBe(2);
});

test("whatever is asked, no key is admitted more often than its quota", () => {
  // A few keys that are used often, among many that are used once.
  const steps = fc.array(fc.tuple(fc.nat({ max: 3 }), fc.integer({ min: 1, max: 20_000 })), {
    minLength: 15,
    maxLength: 20,
  });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 5 }), (turns, quota) => {
      const limiter = createAt(quota);
      const admitted = [0, 0, 0, 0];
      let noise = 0;
      for (const [key, count] of turns) {
        if (!limiter.take(`key ${key}`).isOver) admitted[key] = (admitted[key] ?? 0) + 1;
        for (let time = 0; time < count; time += 1) limiter.take(`noise ${noise++}`);
      }
      expect(Math.max(...admitted)).toBeLessThanOrEqual(quota);
    }),
    { numRuns: 3, endOnFailure: true },
  );
});

test("what is shared is shared once, from a twentieth of the quota on", () => {
  const limiter = createAt(100);
  for (let count = 0; count < 4; count += 1) limiter.take("a");
  expect(limiter.listUnshared().counts.size).toBe(0);
  limiter.take("a");
  const first = limiter.listUnshared();
  expect(first).toEqual({ window: MINUTE, counts: new Map([["a", 5]]) });
  // It failed, so it is shared again.
  limiter.take("a");
  const second = limiter.listUnshared();
  expect(second.counts).toEqual(new Map([["a", 6]]));
  limiter.merge(second, new Map([["a", 40]]));
  expect(limiter.listUnshared().counts.size).toBe(0);
  expect(limiter.take("a").remaining).toBe(59);
});

test("totals of a window that is over change nothing", () => {
  const at = { seconds: 0 };
  const limiter = createAt(10, at);
  limiter.take("a");
  const unshared = limiter.listUnshared();
  at.seconds = 60;
  limiter.take("a");
  limiter.merge(unshared, new Map([["a", 1_000]]));
  expect(limiter.take("a").remaining).toBe(8);
});

test("processes together admit at most the quota, what they did not exchange, and a twentieth each", () => {
  const steps = fc.array(fc.nat({ max: 3 }), { maxLength: 400 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 60 }), (turns, quota) => {
      const limiters = [createAt(quota), createAt(quota), createAt(quota)];
      const stored = { total: 0 };
      let admitted = 0;
      let unexchanged = 0;
      let most = 0;
      for (const turn of turns) {
        const limiter = limiters[turn];
        if (limiter !== undefined) {
          if (limiter.take("a").isOver) continue;
          admitted += 1;
          unexchanged += 1;
          continue;
        }
        for (const each of limiters) {
          const unshared = each.listUnshared();
          stored.total += unshared.counts.get("a") ?? 0;
          each.merge(unshared, new Map([["a", stored.total]]));
        }
        most = Math.max(most, unexchanged);
        unexchanged = 0;
      }
      most = Math.max(most, unexchanged);
      expect(admitted).toBeLessThanOrEqual(quota + 3 * Math.ceil(quota / 20) + 2 * most);
    }),
    { numRuns: 500 },
  );
});
