import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DeliveryCall } from "../../src/api/steps/delivery-call.ts";
import { type ReadService, startReadService } from "../harness/read-service.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const NOBODY = "private, no-store";

const marquee = await useMarquee();

/** What the handler does before it responds. */
let act: (call: DeliveryCall) => void | Promise<void>;
let calls = 0;
let service: ReadService;
beforeEach(async () => {
  calls = 0;
  act = () => {};
  service = await startReadService(marquee, {
    async listEvents(_request, call) {
      calls += 1;
      await act(call);
      return { events: [] };
    },
  });
});
afterEach(() => service.close());

const controlOf = async (...parameters: Parameters<ReadService["list"]>) =>
  (await service.list(...parameters)).headers.get("cache-control");

/** Limits a response to some seconds from its call. */
const limit = ({ freshness, now }: DeliveryCall, seconds: number) =>
  freshness.limitUntil(now.getTime() + seconds * 1_000);

describe("a limit in time", () => {
  test("is the earliest of several, by the clock of each request, until it is over", async () => {
    act = (call) => {
      for (const seconds of [30, 12.9, 24]) limit(call, seconds);
    };
    for (const [seconds, wait, count] of [
      [12, 0, 1],
      [2, 10_000, 1],
      [12, 3_000, 2],
    ] as const) {
      service.wait(wait);
      const want = `public, s-maxage=${seconds}, stale-while-revalidate=0`;
      expect([await controlOf(), calls]).toEqual([want, count]);
    }
  });

  test("is never below nothing, and then nothing is kept in memory", async () => {
    act = (call) => limit(call, -5);
    for (let time = 0; time < 3; time += 1) {
      expect(await controlOf()).toBe("public, s-maxage=0, stale-while-revalidate=0");
    }
    expect(calls).toBe(3);
  });
});

test("a personal response stays personal whatever else is said of it", async () => {
  act = (call) => {
    const { freshness } = call;
    freshness.addResources(["worldcup/events"]);
    freshness.markPersonal();
    limit(call, 30);
  };
  const got = await service.list();
  expect(got.headers.get("cache-control")).toBe(NOBODY);
  for (const name of ["vary", "surrogate-key"]) expect(got.headers.get(name)).toBeNull();
});

describe("what took part in a response", () => {
  const note = ({ freshness }: DeliveryCall) =>
    freshness.addResources(["worldcup/events", "worldcup/events/match 1"]);
  const want = "worldcup worldcup/events worldcup/events/match%201";

  test("is named in Surrogate-Key, on hits and on 304 too", async () => {
    act = note;
    for (let time = 0; time < 3; time += 1) {
      expect((await service.list()).headers.get("surrogate-key")).toBe(want);
    }
    const headers = { "if-none-match": (await service.list()).headers.get("etag") };
    const got = await service.list({}, { headers });
    expect([got.status, got.headers.get("surrogate-key")]).toEqual([304, want]);
    expect(calls).toBe(1);
  });

  test("is reported to a preview key, but not where nothing was said", async () => {
    expect((await service.list()).headers.get("surrogate-key")).toBeNull();
    act = note;
    const got = await service.list({}, { token: marquee.keys.preview });
    const headers = ["surrogate-key", "cache-control"].map((name) => got.headers.get(name));
    expect(headers).toEqual([want, NOBODY]);
  });
});
