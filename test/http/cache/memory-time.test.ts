import { expect, test } from "vitest";
import { createResponseCache, toCacheKey } from "../../../src/http/cache/response-cache.ts";

const SECOND = 1_000;

test("an answer that reads the clock is found for as long as it may be shown", async () => {
  const cache = createResponseCache({ knownRevision: () => 1 }, 1024 * 1024);
  const { signal } = new AbortController();
  const place = { projectId: "p", path: "/x", form: "{}" };
  await cache.answer({ ...place, coding: "identity", now: new Date(0), signal }, async () => ({
    answer: { status: 200, headers: { "cache-control": "public" }, body: Buffer.from("{}") },
    memorySeconds: 10,
  }));
  const findAt = (time: number) =>
    cache.find(
      { key: toCacheKey(place), projectId: "p", revision: 1 },
      "identity",
      () => new Date(time),
    );
  expect(findAt(10 * SECOND - 1)?.status).toBe(200);
  expect(findAt(10 * SECOND)).toBeUndefined();
});
