import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Exchange, HttpResponse } from "../../src/http/listener/exchange.ts";
import { Waits } from "../../src/http/waits.ts";

test("a read that takes longer than its rest blocks no other work of the process", async () => {
  let revision = 1;
  let looks = 0;
  const waits = new Waits({
    store: {
      catchUp: async () => {},
      knownRevision: () => {
        looks += 1;
        if (looks > 10_000) throw new Error("the reads are looked at without an end");
        return revision;
      },
    },
    clock: () => new Date(),
    load: { enter: () => {}, leave: () => {} },
    max: 10,
  });
  const hash = "a".repeat(16);
  const respond = (): HttpResponse => ({
    ...{ status: 200, body: new Uint8Array() },
    headers: { "marquee-state": `${hash}.${revision}`, "cache-control": "public" },
    shared: { projectId: "p", organizationId: "org", revision },
  });
  let calls = 0;
  const waiting = waits.respond({
    exchange: { signal: new AbortController().signal, waited: 0 } as unknown as Exchange,
    key: "k",
    wait: { after: { hash, revision: 1 }, ms: 500, url: "/" },
    find: () => undefined,
    call: async () => {
      calls += 1;
      if (calls > 1) await sleep(1_300);
      return respond();
    },
  });
  await sleep(50);
  revision = 2;
  expect((await waiting)?.headers["cache-control"]).toContain("s-maxage=1,");
  expect([calls, looks < 1_000]).toEqual([2, true]);
});
