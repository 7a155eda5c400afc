import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { Coding } from "../../src/http/cache/accept-encoding.ts";
import { createResponseCache, type SharedRead } from "../../src/http/cache/response-cache.ts";
import { readIn, toFresh } from "./cache/fresh-answer.ts";

const KIB = 1024;

/** A cache of a size, and how often it had to fetch. */
function openCache(maxBytes: number) {
  const fetched: string[] = [];
  const cache = createResponseCache({ knownRevision: () => 1 }, maxBytes);
  const read = (form: string, coding: Coding, size: number) => {
    const shared: SharedRead = { ...readIn(coding), form };
    return cache.answer(shared, async () => {
      fetched.push(form);
      // Random base64 shrinks by a quarter.
      const body = Buffer.from(randomBytes(size).toString("base64").slice(0, size));
      return toFresh(body);
    });
  };
  return { fetched, read };
}

describe("the bound on memory", () => {
  test("keeps what fits and drops what was not used for longest", async () => {
    const { fetched, read } = openCache(250 * KIB);
    for (const form of ["a", "b", "a", "c", "a", "b"]) await read(form, "identity", 100 * KIB);
    expect(fetched).toEqual(["a", "b", "c", "b"]);
  });

  test("counts the compressed bytes too, also those that were made later", async () => {
    const { fetched, read } = openCache(250 * KIB);
    await read("a", "identity", 100 * KIB);
    await read("b", "identity", 100 * KIB);
    // Another 75 KiB: `a` has to go.
    await read("b", "br", 100 * KIB);
    await read("b", "identity", 100 * KIB);
    await read("b", "br", 100 * KIB);
    expect(fetched).toEqual(["a", "b"]);
    await read("a", "identity", 100 * KIB);
    expect(fetched).toEqual(["a", "b", "a"]);
  });

  test("drops what becomes larger than all of it", async () => {
    const { fetched, read } = openCache(220 * KIB);
    await read("a", "identity", 100 * KIB);
    await read("a", "br", 100 * KIB);
    expect(fetched).toEqual(["a"]);
    const gzip = await read("a", "gzip", 100 * KIB);
    expect(gzip.headers["content-encoding"]).toBe("gzip");
    await read("a", "identity", 100 * KIB);
    expect(fetched).toEqual(["a", "a"]);
  });

  test("is not passed by buffers that are larger than what they hold", async () => {
    const { read } = openCache(1024 * KIB);
    for (const coding of ["gzip", "br"] as const) {
      const { body } = await read("a", coding, 2 * KIB);
      // The frames of gRPC and gRPC-Web lie around the message.
      expect(body.buffer.byteLength).toBeLessThan(body.length + 32);
    }
  });
});
