import { Code, ConnectError } from "@connectrpc/connect";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Event } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import type { DeliveryCall } from "../../src/api/steps/delivery-call.ts";
import { DomainError, Code as RpcCode } from "../../src/domain/base/errors.ts";
import { connectHeaders, PROCEDURES } from "../harness/calls.ts";
import { send } from "../harness/http.ts";
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
      const id = `call ${calls} from ${call.readHeader("x-country") ?? null}`;
      await act(call);
      return { events: [{ id } as Event] };
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
  test("of 30 s is shared by all caches, by the clock of each request", async () => {
    act = (call) => limit(call, 30);
    const rounds = [
      [30, 0],
      [20, 10_000],
      [1, 19_500],
    ] as const;
    for (const [seconds, wait] of rounds) {
      service.wait(wait);
      const got = await service.list();
      const want = `public, s-maxage=${seconds}, stale-while-revalidate=0`;
      expect(got.headers.get("cache-control")).toBe(want);
    }
    expect(calls).toBe(1);
    service.wait(500);
    await service.list();
    expect(calls).toBe(2);
  });

  test("lets a CDN serve the response while it revalidates, but not beyond", async () => {
    act = (call) => limit(call, 100);
    expect(await controlOf()).toBe("public, s-maxage=60, stale-while-revalidate=40");
    act = (call) => limit(call, 9_000);
    const longest = "public, s-maxage=60, stale-while-revalidate=300";
    expect(await controlOf({ pageSize: 2 })).toBe(longest);
  });

  test("is the earliest of several, and never below nothing", async () => {
    act = (call) => {
      for (const seconds of [30, 12.9, 24]) limit(call, seconds);
    };
    expect(await controlOf()).toBe("public, s-maxage=12, stale-while-revalidate=0");
    act = (call) => limit(call, -5);
    expect(await controlOf({ pageSize: 2 })).toBe("public, s-maxage=0, stale-while-revalidate=0");
  });

  test("that is over keeps nothing in memory", async () => {
    act = (call) => limit(call, 0);
    for (let time = 0; time < 3; time += 1) await service.list();
    expect(calls).toBe(3);
  });

  test("changes nothing without a public key", async () => {
    act = (call) => limit(call, 30);
    expect(await controlOf({}, { token: marquee.keys.preview })).toBe(NOBODY);
  });
});

describe("a personal response", () => {
  test("is kept by nobody, and made anew for each who asks", async () => {
    act = ({ freshness }) => freshness.markPersonal();
    for (const country of ["DE", "FR", "DE", "FR"]) {
      const got = await service.list({}, { headers: { "x-country": country } });
      expect(got.json.events[0].id).toContain(`from ${country}`);
      expect(got.headers.get("cache-control")).toBe(NOBODY);
      for (const name of ["vary", "surrogate-key"]) expect(got.headers.get(name)).toBeNull();
    }
    expect(calls).toBe(4);
  });

  test("stays personal whatever else is said of it", async () => {
    act = (call) => {
      const { freshness } = call;
      freshness.addResources(["worldcup/events"]);
      freshness.markPersonal();
      limit(call, 30);
      call.setHeader("cache-control", "public, max-age=9");
    };
    const got = await service.list();
    expect(got.headers.get("cache-control")).toBe(NOBODY);
    expect(got.headers.get("surrogate-key")).toBeNull();
  });
});

describe("what took part in a response", () => {
  const note = ({ freshness }: DeliveryCall) => {
    freshness.addResources(["worldcup/events", "worldcup/events/match 1"]);
    freshness.addResources(["worldcup/events", "worldcup/entities/é"]);
  };
  const want = "worldcup worldcup/events worldcup/events/match%201 worldcup/entities/%C3%A9";

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

  test("is named by POST too", async () => {
    act = note;
    const headers = connectHeaders(marquee.keys.public);
    const got = await send("POST", service.url + PROCEDURES.listEvents, { headers, body: {} });
    expect(got.headers.get("surrogate-key")).toBe(want);
  });

  test("is reported to a preview key, but not where nothing was said", async () => {
    expect((await service.list()).headers.get("surrogate-key")).toBeNull();
    act = note;
    const got = await service.list({}, { token: marquee.keys.preview });
    expect([got.headers.get("surrogate-key"), got.headers.get("cache-control")]).toEqual([
      want,
      NOBODY,
    ]);
  });
});

describe("an error is kept by nobody, whatever its handler said before", () => {
  const errors: readonly (readonly [string, () => Error, number])[] = [
    [
      "a foreseen one",
      () => new DomainError(RpcCode.NOT_FOUND, "RESOURCE_NOT_FOUND", "it is gone"),
      404,
    ],
    ["one of the Connect library", () => new ConnectError("late", Code.Unavailable), 503],
    ["one that nobody foresaw", () => new Error("broken"), 500],
  ];
  for (const [name, toError, status] of errors) {
    test(name, async () => {
      act = (call) => {
        call.freshness.addResources(["worldcup/events"]);
        limit(call, 30);
        throw toError();
      };
      const headers = connectHeaders(marquee.keys.public);
      const url = service.url + PROCEDURES.listEvents;
      const responses = [
        await service.list(),
        await service.list(),
        await send("POST", url, { headers, body: {} }),
        await send("GET", `${url}?encoding=proto&message=`, { headers }),
      ];
      for (const got of responses) {
        expect([got.status, got.headers.get("cache-control")]).toEqual([status, "no-store"]);
        for (const it of ["etag", "surrogate-key", "vary"]) expect(got.headers.get(it)).toBeNull();
      }
      expect(calls).toBe(4);
    });
  }
});

test("nothing of one call is left for the next on the same connection", async () => {
  const spy = vi.fn();
  act = ({ freshness }) => {
    spy();
    freshness.addResources([`worldcup/events/${calls}`]);
  };
  const keys: (string | null)[] = [];
  for (let size = 1; size <= 3; size += 1) {
    keys.push((await service.list({ pageSize: size })).headers.get("surrogate-key"));
  }
  expect(keys).toEqual([1, 2, 3].map((size) => `worldcup worldcup/events/${size}`));
});
