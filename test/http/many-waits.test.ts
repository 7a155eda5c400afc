import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Exchange, HttpResponse } from "../../src/http/listener/exchange.ts";
import { RequestLoad } from "../../src/http/listener/request-load.ts";
import { Waits } from "../../src/http/waits.ts";

/** A read of a project at a revision; each of its responses has another state if `changes`. */
function createRead({ revision, changes }: { revision: number; changes: boolean }) {
  const hashOf = (at: number) => `${"a".repeat(15)}${changes ? at : 0}`;
  return {
    exchange: {
      ...{ signal: new AbortController().signal, waited: 0 },
      ...{ load: new RequestLoad(1_000), path: "/x" },
    } as unknown as Exchange,
    key: "k",
    wait: { after: { hash: hashOf(1), revision: 1 }, ms: 500, url: "/" },
    find: (): HttpResponse | undefined => ({
      ...{ status: 200, body: new Uint8Array() },
      headers: { "marquee-state": `${hashOf(revision)}.${revision}`, "cache-control": "public" },
      shared: { projectId: "p", organizationId: "org", revision },
    }),
    call: async (): Promise<HttpResponse | undefined> => undefined,
  };
}

test("a read that takes longer than its rest blocks no other work of the process", async () => {
  const state = { revision: 1, changes: false };
  let looks = 0;
  const waits = createWaits(() => {
    looks += 1;
    if (looks > 10_000) throw new Error("the reads are looked at without an end");
    return state.revision;
  });
  let calls = 0;
  const waiting = waits.respond({
    ...createRead(state),
    find: () => undefined,
    call: async () => {
      calls += 1;
      if (calls > 1) await sleep(1_300);
      return createRead(state).find();
    },
  });
  await sleep(50);
  state.revision = 2;
  expect((await waiting)?.headers["cache-control"]).toContain("s-maxage=1,");
  expect([calls, looks < 1_000]).toEqual([2, true]);
});

test("reads that get their news together let other requests run in between", async () => {
  const state = { revision: 1, changes: true };
  const waits = createWaits(() => state.revision);
  let turn = 0;
  const next = () => {
    turn += 1;
    if (waits.waiting > 0) setImmediate(next);
  };
  const turns = Array.from({ length: 175 }, async () => {
    await waits.respond({ ...createRead(state), find: () => createRead(state).find() });
    return turn;
  });
  await expect.poll(() => waits.waiting).toBe(175);
  next();
  state.revision = 2;
  const counts = Map.groupBy(await Promise.all(turns), (it) => it);
  expect(Array.from(counts.values(), ({ length }) => length)).toEqual([50, 50, 50, 25]);
  expect(waits.results).toEqual({ news: 175, none: 0, full: 0 });
});

function createWaits(knownRevision: () => number): Waits {
  return new Waits({
    store: { catchUp: async () => {}, knownRevision },
    clock: () => new Date(),
    max: 1_000,
  });
}
