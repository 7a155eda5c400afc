import { getEventListeners } from "node:events";
import type { HandlerContext } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { createHealthHandlers } from "../../../src/http/endpoints/grpc-services.ts";

const SERVING = 1;
const NOT_SERVING = 2;
const SERVICE_UNKNOWN = 3;

/** A server whose status changes at each look. */
function flickering() {
  let looks = 0;
  const handlers = createHealthHandlers({
    services: ["x.Y"],
    watchInterval: 1,
    check: async () => {
      looks += 1;
      if (looks % 2 === 0) throw new Error("away");
    },
  });
  const watch = (signal: AbortSignal, service = "") =>
    handlers.watch({ service } as never, { signal } as HandlerContext) as AsyncGenerator<{
      status: number;
    }>;
  return { watch, looks: () => looks };
}

describe("Watch", () => {
  test("reports each change, and 1,000 of them leave no listener behind", async () => {
    const { signal } = new AbortController();
    const updates = flickering().watch(signal);
    for (let index = 0; index < 1_000; index += 1) {
      const { value } = await updates.next();
      expect(value.status).toBe(index % 2 === 0 ? SERVING : NOT_SERVING);
      expect(getEventListeners(signal, "abort").length).toBeLessThanOrEqual(1);
    }
    await updates.return(undefined);
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  test("looks once for all that watch", async () => {
    const server = flickering();
    const { signal } = new AbortController();
    const all = Array.from({ length: 1_000 }, () => server.watch(signal));
    await Promise.all(all.map((it) => it.next()));
    const before = server.looks();
    await Promise.all(all.map((it) => it.next()));
    // The first looks were one for each, so some have seen another status than the next look's.
    expect(server.looks() - before).toBeLessThanOrEqual(2);
  });

  test("ends with the reason when its call is over", async () => {
    const abort = new AbortController();
    const updates = flickering().watch(abort.signal);
    await updates.next();
    const reason = new Error("over");
    abort.abort(reason);
    await expect(updates.next()).rejects.toBe(reason);
    expect((await updates.next()).done).toBe(true);
  });

  test("reports once that a service is not known", async () => {
    const abort = new AbortController();
    const updates = flickering().watch(abort.signal, "z.Z");
    expect((await updates.next()).value).toEqual({ status: SERVICE_UNKNOWN });
    const next = updates.next();
    const silence = new Promise((resolve) => setTimeout(resolve, 20, "silence"));
    expect(await Promise.race([next, silence])).toBe("silence");
    abort.abort();
    await expect(next).rejects.toBe(abort.signal.reason);
  });
});
