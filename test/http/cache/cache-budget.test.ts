import { on } from "node:events";
import { Worker } from "node:worker_threads";
import { beforeAll, expect, test } from "vitest";

const KINDS = ["small answers", "small answers by two protocols", "larger answers"];

const shares = new Map<string, number>();
beforeAll(async () => {
  const thread = new Worker(new URL("cache-memory.ts", import.meta.url));
  for await (const [{ name, share }] of on(thread, "message", { close: ["exit"] })) {
    shares.set(name, share);
  }
});

test.each(KINDS)("a cache full of %s takes the memory that it is given", (name) => {
  expect(shares.get(name)).toBeLessThan(1.1);
  // Less would be memory that is never used.
  expect(shares.get(name)).toBeGreaterThan(0.7);
});
