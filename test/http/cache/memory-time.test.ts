import { expect, test } from "vitest";
import { createResponseCache, toCacheKey } from "../../../src/http/cache/response-cache.ts";
import { readIn, toFresh } from "./fresh-answer.ts";

const SECOND = 1_000;

test("an answer that reads the clock is found for as long as it may be shown", async () => {
  const cache = createResponseCache({ knownRevision: () => 1 }, 1024 * 1024);
  const read = readIn("identity");
  await cache.answer(read, async () => ({ ...toFresh(Buffer.from("{}")), memorySeconds: 10 }));
  const findAt = (time: number) =>
    cache.find(
      { key: toCacheKey(read), projectId: "p", revision: 1 },
      read.encoding,
      () => new Date(time),
    );
  expect(findAt(10 * SECOND - 1)?.status).toBe(200);
  expect(findAt(10 * SECOND)).toBeUndefined();
});
