import { randomBytes } from "node:crypto";
import { expect, test, vi } from "vitest";
import { createResponseCache, toCacheKey } from "../../../src/http/cache/response-cache.ts";
import { readIn, toFresh } from "./fresh-answer.ts";

const NOW = new Date(0);
const BODY = randomBytes(4_000);
const IDENTITY = readIn("identity").encoding;

const createFetch = () => vi.fn(async () => toFresh(BODY));

test("an encoding made for a reader who joined counts towards the size of the cache", async () => {
  // Large enough for the answer as it is, too small for the one in brotli beside it.
  const cache = createResponseCache({ knownRevision: () => 1 }, 2 * BODY.length);
  const fetch = createFetch();
  const place = { key: toCacheKey(readIn("identity")), projectId: "p", revision: 1 };

  await cache.answer(readIn("identity"), fetch);
  expect(cache.find(place, IDENTITY, () => NOW)?.body).toEqual(BODY);

  const other = createResponseCache({ knownRevision: () => 1 }, 2 * BODY.length);
  await Promise.all([other.answer(readIn("identity"), fetch), other.answer(readIn("br"), fetch)]);
  expect(fetch).toHaveBeenCalledTimes(2);
  expect(other.find(place, IDENTITY, () => NOW)).toBeUndefined();
});

test("no read is joined while the revision of its project is unknown", async () => {
  const cache = createResponseCache({ knownRevision: () => undefined }, 1024 * 1024);
  const fetch = createFetch();
  await Promise.all([cache.answer(readIn("br"), fetch), cache.answer(readIn("br"), fetch)]);
  expect(fetch).toHaveBeenCalledTimes(2);
});
