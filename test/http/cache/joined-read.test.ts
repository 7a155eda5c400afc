import { randomBytes } from "node:crypto";
import { expect, test, vi } from "vitest";
import type { Coding } from "../../../src/http/cache/accept-encoding.ts";
import { createResponseCache, toCacheKey } from "../../../src/http/cache/response-cache.ts";

const PLACE = { projectId: "p", path: "/x", form: "{}" };
const NOW = new Date(0);
const BODY = randomBytes(4_000);

const toRead = (coding: Coding) => ({
  ...PLACE,
  coding,
  now: NOW,
  signal: new AbortController().signal,
});

const createFetch = () =>
  vi.fn(async () => ({
    answer: { status: 200, headers: { "cache-control": "public" }, body: BODY },
  }));

test("an encoding made for a reader who joined counts towards the size of the cache", async () => {
  // Large enough for the answer as it is, too small for the one in brotli beside it.
  const cache = createResponseCache({ knownRevision: () => 1 }, 2 * BODY.length);
  const fetch = createFetch();
  const place = { key: toCacheKey(PLACE), projectId: "p", revision: 1 };

  await cache.answer(toRead("identity"), fetch);
  expect(cache.find(place, "identity", () => NOW)?.body).toEqual(BODY);

  const other = createResponseCache({ knownRevision: () => 1 }, 2 * BODY.length);
  await Promise.all([other.answer(toRead("identity"), fetch), other.answer(toRead("br"), fetch)]);
  expect(fetch).toHaveBeenCalledTimes(2);
  expect(other.find(place, "identity", () => NOW)).toBeUndefined();
});

test("no read is joined while the revision of its project is unknown", async () => {
  const cache = createResponseCache({ knownRevision: () => undefined }, 1024 * 1024);
  const fetch = createFetch();
  await Promise.all([cache.answer(toRead("br"), fetch), cache.answer(toRead("br"), fetch)]);
  expect(fetch).toHaveBeenCalledTimes(2);
});
