import { describe, expect, test } from "vitest";
import {
  Exchange,
  type HttpResponse,
  type NodeRequest,
} from "../../../src/http/listener/exchange.ts";
import { RequestLoad } from "../../../src/http/listener/request-load.ts";
import { RequestMetrics } from "../../../src/http/listener/request-metrics.ts";
import { UnreadResponses } from "../../../src/http/listener/unread-responses.ts";
import { findKey, ResponseCache } from "../../../src/http/response-cache.ts";

const KIB = 1024;
const SECOND = 1_000;

/** The revisions that a cache knows. */
const source = () => ({
  revision: 1 as number | undefined,
  knownRevision() {
    return this.revision;
  },
});

function toExchange(request: Partial<NodeRequest> = {}, time = 0): Exchange {
  const whole = { method: "GET", url: "/x?y", headers: {}, socket: {}, ...request };
  return new Exchange(whole as NodeRequest, {} as never, {
    clock: () => new Date(time),
    findClient: () => ({ address: "", trustsHeaders: false }),
    cors: () => ({}),
    unread: new UnreadResponses(0),
    load: new RequestLoad(1),
    requests: new RequestMetrics(),
  });
}

function toPost(body: string, headers: NodeRequest["headers"] = {}): Exchange {
  const exchange = toExchange({ method: "POST", headers });
  exchange.arrivedBody = Buffer.from(body);
  return exchange;
}

const shared = (size = 2, more: Partial<HttpResponse["shared"]> = {}): HttpResponse => ({
  status: 200,
  headers: {},
  body: Buffer.alloc(size),
  shared: { projectId: "p", organizationId: "org", revision: 1, ...more },
});

const NEVER = new AbortController().signal;

/** A cache whose calls are counted. */
function open(maxBytes = KIB * KIB, of = source()) {
  const cache = new ResponseCache(of, maxBytes);
  let calls = 0;
  const read = async (
    key: string,
    make: () => HttpResponse | Promise<HttpResponse> = shared,
    time = 0,
  ) => {
    const exchange = toExchange({}, time);
    const call = async () => {
      calls += 1;
      return make();
    };
    return cache.find(key, exchange) ?? (await cache.share(key, exchange, NEVER, call));
  };
  return { cache, source: of, read, calls: () => calls };
}

describe("the key of a request", () => {
  const bearer = (authorization: string) => ({ headers: { authorization } });
  const different: Readonly<Record<string, Exchange>> = {
    "a GET": toExchange(),
    "another URL": toExchange({ url: "/x?z" }),
    "a credential": toExchange(bearer("Bearer a")),
    "another credential": toExchange(bearer("Bearer b")),
    "a coding": toExchange({ headers: { "accept-encoding": "gzip" } }),
    "another coding": toExchange({ headers: { "accept-encoding": "br" } }),
    "a POST": toPost("{}"),
    "another body": toPost("{ }"),
    "no body": toPost(""),
    "a content type": toPost("{}", { "content-type": "application/json" }),
    "another content type": toPost("{}", { "content-type": "application/proto" }),
    "a compressed body": toPost("{}", { "content-encoding": "gzip" }),
    "a compressed message": toPost("{}", { "grpc-encoding": "gzip" }),
    "a compressed response of gRPC": toPost("{}", { "grpc-accept-encoding": "gzip" }),
    "a version of Connect": toPost("{}", { "connect-protocol-version": "1" }),
  };

  test("is different for whatever may get different bytes", () => {
    const keys = Object.values(different).map((exchange) => findKey(exchange));
    expect(keys).not.toContain(undefined);
    expect(new Set(keys).size).toBe(keys.length);
  });

  test("is the same for what gets the same, and holds no credential", () => {
    const headers = { authorization: "Bearer secret", "accept-encoding": "gzip" };
    const other = { ...headers, "user-agent": "x", "connect-timeout-ms": "500" };
    const key = findKey(toExchange({ headers }));
    expect(findKey(toExchange({ headers: other }))).toBe(key);
    expect(key).not.toContain("secret");
  });

  const none: Readonly<Record<string, Exchange>> = {
    "a GET with a length": toExchange({ headers: { "content-length": "5" } }),
    "a GET with a coding of its body": toExchange({ headers: { "transfer-encoding": "chunked" } }),
    "a GET with an expectation": toExchange({ headers: { expect: "100-continue" } }),
    "a POST whose body is not here": toExchange({ method: "POST" }),
    "a consistency token": toExchange({ headers: { "x-consistency-token": "p:1" } }),
    "no time left": toExchange({ headers: { "connect-timeout-ms": "0" } }),
    "a malformed timeout": toExchange({ headers: { "connect-timeout-ms": "1s" } }),
    "a malformed timeout of gRPC": toExchange({ headers: { "grpc-timeout": "1" } }),
  };
  for (const [name, exchange] of Object.entries(none)) {
    test(`is absent for ${name}`, () => expect(findKey(exchange)).toBeUndefined());
  }
});

describe("a response is called for once", () => {
  test("and found until its project changes", async () => {
    const { read, calls, source, cache } = open();
    for (let time = 0; time < 3; time += 1) await read("a");
    expect([calls(), cache.state.reads]).toEqual([1, { hit: 2, joined: 0, miss: 1 }]);
    source.revision = 2;
    await read("a");
    expect(calls()).toBe(2);
  });

  test("and not found while the revision is unknown", async () => {
    const { read, calls, source } = open();
    await read("a");
    source.revision = undefined;
    await read("a");
    expect(calls()).toBe(2);
  });

  test("and found until its end, but not when the clock is put back", async () => {
    const { read, calls } = open();
    const make = () => shared(2, { until: 10 * SECOND });
    for (const time of [0, 10 * SECOND - 1]) await read("a", make, time);
    expect(calls()).toBe(1);
    await read("a", make, -1);
    expect(calls()).toBe(2);
    await read("a", make, 10 * SECOND);
    expect(calls()).toBe(3);
  });

  test("and not found when the clock is put back, although it has no end", async () => {
    const { read, calls } = open();
    for (const time of [SECOND, 0, 0, SECOND]) await read("a", shared, time);
    expect(calls()).toBe(2);
  });

  test("with the lifetime that is left", async () => {
    const { read } = open();
    const headers = { "cache-control": "public, s-maxage=60, stale-while-revalidate=300" };
    const make = () => ({ ...shared(2, { until: 400 * SECOND }), headers });
    await read("a", make, 0);
    for (const [time, want] of [
      [1, "s-maxage=60, stale-while-revalidate=300"],
      [350, "s-maxage=50, stale-while-revalidate=0"],
      [320.5, "s-maxage=60, stale-while-revalidate=19"],
      [399.5, "s-maxage=1, stale-while-revalidate=0"],
    ] as const) {
      const { headers } = (await read("a", make, time * SECOND)) ?? {};
      expect(headers?.["cache-control"]).toBe(`public, ${want}`);
    }
  });

  test("each time if it is true for no time", async () => {
    const { read, calls } = open();
    for (let time = 0; time < 2; time += 1) await read("a", () => shared(2, { until: 0 }));
    expect(calls()).toBe(2);
  });

  test("for many who ask at once", async () => {
    const { read, calls, cache } = open();
    const responses = await Promise.all(Array.from({ length: 9 }, () => read("a")));
    expect([calls(), new Set(responses).size]).toEqual([1, 1]);
    expect(cache.state.reads).toEqual({ hit: 0, joined: 8, miss: 1 });
  });

  test("by each who joined if it is personal, and then kept for nobody", async () => {
    const { read, calls, cache } = open();
    const personal = { ...shared(), shared: undefined };
    await Promise.all(Array.from({ length: 3 }, () => read("a", () => personal)));
    await read("a", () => personal);
    expect([calls(), cache.state.bytes]).toEqual([4, 0]);
  });

  test("by each who joined if it fails", async () => {
    const { read, calls } = open();
    const failing = () => Promise.reject(new Error("broken"));
    const results = await Promise.allSettled([read("a", failing), read("a"), read("a")]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
    expect(calls()).toBe(3);
  });

  test("again, once for all who joined, after a change of the project during the call", async () => {
    const { read, calls, source } = open();
    let isFirst = true;
    const make = async () => {
      const { revision = 0 } = source;
      if (isFirst) {
        isFirst = false;
        await new Promise((resolve) => setTimeout(resolve, 5));
        source.revision = 2;
      }
      return shared(2, { revision });
    };
    const responses = await Promise.all(Array.from({ length: 4 }, () => read("a", make)));
    expect(calls()).toBe(2);
    expect(responses[1]).not.toBe(responses[0]);
    expect(responses[3]).toBe(responses[1]);
  });
});

test("a call is cancelled when the last of those who wait has left", async () => {
  const { cache } = open();
  const signals: AbortSignal[] = [];
  const call = (signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<HttpResponse>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  };
  const readers = [new AbortController(), new AbortController()];
  const reads = readers.map(({ signal }) => cache.share("a", toExchange(), signal, call));
  const settled = Promise.allSettled(reads);
  readers[0]?.abort();
  expect(signals[0]?.aborted).toBe(false);
  readers[1]?.abort(new Error("gone"));
  expect(signals[0]?.reason.message).toBe("gone");
  // Whoever comes now begins a call of its own.
  void cache.share("a", toExchange(), NEVER, call);
  await settled;
  expect(signals).toHaveLength(2);
});

describe("the bound on memory", () => {
  test("keeps what fits and drops what was not used for longest", async () => {
    const { read, calls, cache } = open(250 * KIB);
    for (const key of ["a", "b", "a", "c", "a", "b"]) await read(key, () => shared(100 * KIB));
    expect([calls(), cache.state.evicted]).toEqual([4, 2]);
    expect(cache.state.bytes).toBeLessThanOrEqual(cache.state.maxBytes);
  });

  test("keeps nothing that is larger than all of it", async () => {
    const { read, calls } = open(100 * KIB);
    for (let time = 0; time < 2; time += 1) await read("a", () => shared(101 * KIB));
    expect(calls()).toBe(2);
  });

  test("counts bodies as large as the memory they hold", async () => {
    const { read } = open();
    const { buffer } = new Uint8Array(8 * KIB);
    await read("a", () => ({ ...shared(), body: new Uint8Array(buffer, 10, 3) }));
    const { body } = (await read("a")) ?? expect.fail();
    expect([body.length, body.buffer.byteLength]).toEqual([3, 3]);
  });
});
