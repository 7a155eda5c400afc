import type { ClientHttp2Session, OutgoingHttpHeaders } from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Event } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { ListEventsRequestSchema } from "../../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { CONSISTENCY_HEADER } from "../../../src/api/steps/consistency-token.ts";
import type { DeliveryCall } from "../../../src/api/steps/delivery-call.ts";
import { WORK_LIMITS } from "../../../src/domain/base/work-budget.ts";
import { getUrl, PROCEDURES } from "../../harness/calls.ts";
import { openDatabase } from "../../harness/database.ts";
import { frame } from "../../harness/grpc-frame.ts";
import { reasonOf, send } from "../../harness/http.ts";
import { connectHttp2, requestHttp2, responseOf } from "../../harness/http2.ts";
import { startMarquee } from "../../harness/marquee.ts";
import { connectRaw, head } from "../../harness/raw-socket.ts";
import { type ReadService, startReadService } from "../../harness/read-service.ts";
import { useLimitedTime } from "../../harness/unlimited-time.ts";
import { useMarquee } from "../../harness/use-marquee.ts";

const { listEvents: PATH } = PROCEDURES;
const URL = getUrl(PATH, {});
const BINARY = toBinary(ListEventsRequestSchema, create(ListEventsRequestSchema, { pageSize: 3 }));
const JSON_BYTES = Buffer.from('{"pageSize":3}');

const marquee = await useMarquee();

/** Responds with the project that asks, and enough text to be compressed. */
const listEvents = vi.fn((_request: unknown, { key }: DeliveryCall) => ({
  events: [
    { id: `${key.projectId} by its ${key.kind} key`, contentType: "x".repeat(5_000) } as Event,
  ],
}));

let service: ReadService;
let session: ClientHttp2Session;
beforeEach(async () => {
  listEvents.mockClear();
  service = await startReadService(marquee, { listEvents });
  session = await connectHttp2(service.url);
});
afterEach(async () => {
  session.close();
  await service.close();
});

/** A call: the headers that make its form, and its body; absent: a GET. */
interface Call {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

const connect = { "connect-protocol-version": "1", "accept-encoding": "br" };
const grpc = { te: "trailers", "grpc-accept-encoding": "identity,gzip" };
const CALLS: Readonly<Record<string, Call>> = {
  "Connect GET": { headers: { "accept-encoding": "gzip" } },
  "Connect POST, JSON": {
    headers: { ...connect, "content-type": "application/json" },
    body: JSON_BYTES,
  },
  "Connect POST, binary": {
    headers: { ...connect, "content-type": "application/proto", "connect-timeout-ms": "900" },
    body: BINARY,
  },
  gRPC: {
    headers: { ...grpc, "content-type": "application/grpc", "grpc-timeout": "9S" },
    body: frame(BINARY),
  },
  "gRPC, JSON": {
    headers: { ...grpc, "content-type": "application/grpc+json" },
    body: frame(JSON_BYTES),
  },
  "gRPC-Web": {
    headers: { "content-type": "application/grpc-web+proto" },
    body: frame(BINARY),
  },
};
const GET = CALLS["Connect GET"] ?? expect.fail();
const GRPC = CALLS.gRPC ?? expect.fail();
const POST = CALLS["Connect POST, JSON"] ?? expect.fail();

const authorization = () => `Bearer ${marquee.keys.public}`;

/** Sends a call over HTTP/2 and returns all that its caller gets, but for the date. */
async function over2({ headers, body }: Call, more: Record<string, string> = {}) {
  const got = await requestHttp2(session, toHead(body, { ...headers, ...more }), body);
  const { date: _date, ...rest } = got.headers;
  return { headers: { ...rest }, trailers: { ...got.trailers }, body: got.body.toString("latin1") };
}

function toHead(body: Uint8Array | undefined, headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const path = body === undefined ? getUrl(PATH, { pageSize: 3 }) : PATH;
  const method = body === undefined ? "GET" : "POST";
  return { ":method": method, ":path": path, authorization: authorization(), ...headers };
}

/** Sends a call over HTTP/1.1 in one packet and returns all that its caller gets, but for the date. */
async function over1({ headers, body }: Call, more: Record<string, string> = {}) {
  const raw = await connectRaw(service.url);
  const { ":method": method, ":path": path, ...all } = toHead(body, { ...headers, ...more });
  const length = body && { "content-length": `${body.length}` };
  const lines = head(`${method} ${path}`, { ...(all as Record<string, string>), ...length });
  raw.write(Buffer.concat([Buffer.from(lines), body ?? new Uint8Array()]));
  const got = await raw.response();
  raw.destroy();
  const { date: _date, ...rest } = got.headers;
  return { status: got.status, headers: rest, body: got.text };
}

/** Counts the requests that were dispatched during some work. */
async function dispatched(work: () => Promise<unknown>): Promise<number> {
  const before = service.dispatched();
  await work();
  return service.dispatched() - before;
}

const lineOf = async (requestId: string) => {
  const find = () => service.captured.lines.filter((line) => line.request_id === requestId);
  await expect.poll(find).toHaveLength(1);
  return find()[0];
};

/** Returns what a line says beside its times. */
const withoutTimes = ({
  time: _time,
  duration_ms: _duration,
  ...rest
}: Record<string, unknown> = {}) => rest;

const OVER: Readonly<Record<string, typeof over2 | typeof over1>> = { "1.1": over1, "2": over2 };

describe("a repeated call gets what the first got, and is not called again", () => {
  for (const [name, call] of Object.entries(CALLS)) {
    for (const [version, ask] of Object.entries(OVER)) {
      // gRPC is spoken over HTTP/2.
      if (version === "1.1" && call.headers.te !== undefined) continue;
      test(`${name} over HTTP/${version}`, async () => {
        const got: unknown[] = [];
        const counts: number[] = [];
        for (let time = 0; time < 2; time += 1) {
          service.captured.lines.length = 0;
          const count = await dispatched(async () => {
            const response = await ask(call, { "x-request-id": "mine" });
            got.push([response, withoutTimes(await lineOf("mine"))]);
          });
          counts.push(count);
        }
        expect(counts).toEqual([1, 0]);
        expect(got[1]).toEqual(got[0]);
        expect(JSON.stringify(got[0])).toContain(call.body === undefined ? "etag" : "mine");
        expect(listEvents).toHaveBeenCalledTimes(1);
      });
    }
  }

  test("also over the other version of HTTP, and by a conditional GET, whose line says 304", async () => {
    const { headers, body } = await over2(GET);
    const count = await dispatched(async () => {
      expect((await over1(GET)).headers.etag).toBe(headers.etag);
      const more = { "if-none-match": String(headers.etag), "x-request-id": "known" };
      const got = await over2(GET, more);
      expect([got.headers[":status"], got.body]).toEqual([304, ""]);
      expect(await lineOf("known")).toMatchObject({ status: 304, complete: true });
      expect((await over2(GET)).body).toBe(body);
    });
    expect(count).toBe(0);
  });

  test("each without an id of its own, or with a bad one, gets another one", async () => {
    const ids = new Set<unknown>();
    for (let time = 0; time < 4; time += 1) {
      ids.add(
        (await over2(GRPC, time < 2 ? {} : { "x-request-id": "a b" })).headers["x-request-id"],
      );
    }
    expect(ids.size).toBe(4);
    expect(ids).not.toContain("a b");
  });
});

describe("a cached response is nobody else's", () => {
  test("each project and kind of key gets its own, in whatever order they ask", async () => {
    const { keys } = marquee;
    const asks = [keys.public, keys.sandbox, keys.preview, keys.public, keys.preview, keys.sandbox];
    const got: string[] = [];
    for (const token of [...asks, ...asks, ...asks]) {
      got.push((await service.list({}, { token })).json.events[0].id);
    }
    const wanted = new Map([
      [keys.public, "worldcup by its public key"],
      [keys.sandbox, "sandbox by its public key"],
      [keys.preview, "worldcup by its preview key"],
    ]);
    expect(got).toEqual([...asks, ...asks, ...asks].map((token) => wanted.get(token)));
  });

  test("no header in place of the key gets it", async () => {
    const { keys, tokens } = marquee;
    for (let time = 0; time < 2; time += 1) await service.list();
    for (const authorization of [
      undefined,
      "",
      "Bearer",
      keys.public,
      `Basic ${keys.public}`,
      `Bearer ${keys.public}x`,
      `Bearer ${keys.public.slice(0, -1)}`,
      `Bearer ${keys.public}, Bearer ${keys.public}`,
      `Bearer ${tokens.owner}`,
      "Bearer mqp_unknown",
    ]) {
      const headers = authorization === undefined ? {} : { authorization };
      const got = await send("GET", service.url + URL, { headers });
      expect([authorization, got.status]).toEqual([authorization, 401]);
      expect(got.headers.get("cache-control")).toBe("no-store");
    }
  });

  test("no two messages share one, however they are cut", async () => {
    const ids = ["a", "a\n", "a\nb", 'a"', "a\\n"];
    const seen = vi.fn(({ id }: { id: string }) => ({ event: { id } as Event }));
    const other = await startReadService(marquee, { getEvent: seen });
    for (const id of [...ids, ...ids]) {
      const url = `${other.url}${getUrl("/svc.cda.cms.event.v1.EventService/GetEvent", { id })}`;
      const got = await send("GET", url, { token: marquee.keys.public });
      expect(got.json.event.id).toBe(id);
    }
    expect(seen).toHaveBeenCalledTimes(ids.length);
    await other.close();
  });

  test("a key that was taken away gets nothing more, whose project has a cached response", async () => {
    const token = marquee.keys.sandbox;
    for (let time = 0; time < 3; time += 1) {
      expect((await service.list({}, { token })).status).toBe(200);
    }
    const database = openDatabase(marquee.address);
    const { numDeletedRows } = await database
      .deleteFrom("project_key")
      .where("project_id", "=", "sandbox")
      .executeTakeFirstOrThrow();
    // As every deletion of a key does.
    await changeProject("sandbox");
    expect(Number(numDeletedRows)).toBeGreaterThan(0);
    await database.destroy();
    await vi.waitFor(async () => expect((await service.list({}, { token })).status).toBe(401), {
      timeout: 20_000,
      interval: 10,
    });
    expect(reasonOf(await service.list({}, { token }))).toBe("CREDENTIALS_INVALID");
    expect((await service.list()).status).toBe(200);
  });

  test("a listener of the Studio API alone does not give it", async () => {
    const split = await startMarquee({ deliveryListen: { host: "127.0.0.1", port: 0 } });
    const ask = (url: string) => send("GET", url + URL, { token: split.keys.public });
    for (let time = 0; time < 3; time += 1) {
      expect((await ask(split.server.deliveryUrl)).status).toBe(200);
      expect((await ask(split.server.studioUrl)).status).toBe(404);
    }
    await split.close();
  });
});

/** Moves the revision of a project, as every change of it does. */
async function changeProject(id: string): Promise<void> {
  const database = openDatabase(marquee.address);
  await database
    .updateTable("project")
    .set(({ eb }) => ({ change_count: eb("change_count", "+", 1) }))
    .where("id", "=", id)
    .execute();
  await database.destroy();
}

describe("every limit stands before a cached response", () => {
  const ask = async (line: string, headers: Record<string, string>) => {
    const raw = await connectRaw(service.url);
    const more = { authorization: authorization(), "accept-encoding": "identity" };
    raw.write(head(line, { ...more, ...headers }));
    const { status } = await raw.response({ bodyless: line.startsWith("HEAD") });
    raw.destroy();
    return status;
  };

  test.each<[string, string, Record<string, string>, number]>([
    ["headers over the limit", `GET ${URL}`, { "x-pad": "x".repeat(16 * 1024) }, 431],
    ["a bad host", `GET ${URL}`, { Host: "a|b" }, 400],
    ["a port that there is not", `GET ${URL}`, { Host: "a:99999" }, 400],
    ["no host", `GET ${URL}`, { Host: "" }, 400],
    ["an expectation", `GET ${URL}`, { expect: "nothing" }, 417],
    ["HEAD", `HEAD ${URL}`, {}, 200],
    ["PUT", `PUT ${URL}`, {}, 405],
    ["DELETE", `DELETE ${URL}`, {}, 405],
    ["another path with the same query", `GET /x${URL}`, {}, 404],
    ["the path without the query", `GET ${PATH}`, {}, 400],
  ])("%s", async (_name, line, headers, want) => {
    for (let time = 0; time < 2; time += 1) expect(await ask(`GET ${URL}`, {})).toBe(200);
    expect(await ask(line, headers)).toBe(want);
    expect(await ask(`GET ${URL}`, {})).toBe(200);
    expect(listEvents).toHaveBeenCalledTimes(1);
  });

  test("a body is read past, and the next request is understood", async () => {
    const raw = await connectRaw(service.url);
    const headers = { authorization: authorization() };
    raw.write(`${head(`GET ${URL}`, { ...headers, "Content-Length": "5" })}hello`);
    raw.write(head(`GET ${URL}`, headers));
    expect((await raw.response()).status).toBe(200);
    expect((await raw.response()).status).toBe(200);
    raw.destroy();
  });

  test.each([
    ["Content-Length", "5", "hell", "o"],
    ["Transfer-Encoding", "chunked", "4\r\nhell\r\n", "0\r\n\r\n"],
  ] as const)(
    "a body that does not end keeps the response back from nobody, and its connection is closed: %s",
    async (name, value, part, rest) => {
      const raw = await connectRaw(service.url);
      const headers = { authorization: authorization(), [name]: value };
      raw.write(head(`GET ${URL}`, headers) + part);
      const got = await raw.response();
      expect([got.status, got.headers.connection]).toEqual([200, "close"]);
      raw.write(rest);
      raw.write(head(`GET ${URL}`, headers));
      expect(await raw.closed()).toBe("");
    },
  );

  test("garbage behind a POST is rejected after it", async () => {
    await over1(POST);
    const raw = await connectRaw(service.url);
    const headers = { authorization: authorization(), ...POST.headers, "content-length": "14" };
    raw.write(`${head(`POST ${PATH}`, headers)}${JSON_BYTES}garbage\r\n\r\n`);
    expect((await raw.response()).status).toBe(200);
    expect(await raw.closed()).toMatch(/^(HTTP\/1.1 400 |$)/);
  });

  test("many at once on one connection come in their order", async () => {
    const raw = await connectRaw(service.url);
    listEvents.mockImplementation((request) => ({
      events: [{ id: `page of ${(request as { pageSize: number }).pageSize}` } as Event],
    }));
    const lines = Array.from({ length: 40 }, (_, id) => {
      const pageSize = id % 2 === 0 ? 50 : id;
      return head(`GET ${getUrl(PATH, { pageSize })}`, { authorization: authorization() });
    });
    raw.write(lines.join(""));
    for (let id = 0; id < 40; id += 1) {
      const got = await raw.response();
      const want = `page of ${id % 2 === 0 ? 50 : id}`;
      expect([got.status, JSON.parse(got.text).events[0].id]).toEqual([200, want]);
    }
    raw.destroy();
    listEvents.mockReset();
  });
});

describe("what may get another response is dispatched", () => {
  const other = Buffer.from('{"pageSize":4}');
  test.each<[string, Call, Record<string, string>, number | string]>([
    ["another message", { ...POST, body: other }, {}, 200],
    ["a message and a blank", { ...POST, body: Buffer.from('{"pageSize":3} ') }, {}, 200],
    ["no version of Connect", POST, { "connect-protocol-version": "" }, 400],
    ["another version of Connect", POST, { "connect-protocol-version": "2" }, 400],
    ["another media type", POST, { "content-type": "application/json; charset=utf-8" }, 200],
    ["another codec", POST, { "content-type": "application/proto" }, 400],
    [
      "a compressed body",
      { ...POST, body: gzipSync(JSON_BYTES) },
      { "content-encoding": "gzip" },
      200,
    ],
    ["a body that says it is compressed", POST, { "content-encoding": "gzip" }, 400],
    ["a malformed timeout", POST, { "connect-timeout-ms": "soon" }, 400],
    ["a deadline that has passed", POST, { "connect-timeout-ms": "0" }, 504],
    ["an expectation", POST, { expect: "nothing" }, 417],
    ["a malformed consistency token", POST, { [CONSISTENCY_HEADER]: "x" }, 400],
    ["headers over the limit", POST, { "x-pad": "x".repeat(16 * 1024) }, 431],
    ["another key", POST, { authorization: "Bearer mqp_unknown" }, 401],
    ["a query", POST, { ":path": `${PATH}?x` }, 200],
    [
      "gRPC: two messages",
      { ...GRPC, body: Buffer.concat([frame(BINARY), frame(BINARY)]) },
      {},
      "12",
    ],
    ["gRPC: half a message", { ...GRPC, body: frame(BINARY).subarray(0, -1) }, {}, "3"],
    ["gRPC: an unknown compression", GRPC, { "grpc-encoding": "x" }, "12"],
    ["gRPC: a flag without a compression", { ...GRPC, body: frame(BINARY, 1) }, {}, "13"],
    ["gRPC: a malformed timeout", GRPC, { "grpc-timeout": "soon" }, "3"],
    ["gRPC: a deadline that has passed", GRPC, { "grpc-timeout": "0m" }, "4"],
  ])("%s", async (_, call, headers, want) => {
    for (const known of [POST, GRPC]) await over2(known);
    const dispatches = await dispatched(async () => {
      const got = await over2(call, headers);
      expect(typeof want === "string" ? got.trailers["grpc-status"] : got.headers[":status"]).toBe(
        want,
      );
    });
    // A rejection is dispatched, but not let in.
    expect(dispatches).toBe(want === 417 || want === 431 ? 0 : 1);
    expect(await dispatched(() => over2(GRPC))).toBe(0);
  });

  test("a body in parts, over either version", async () => {
    await over2(GRPC);
    await over1(POST);
    const body = GRPC.body ?? expect.fail();
    expect(
      await dispatched(async () => {
        const stream = session.request(toHead(body, GRPC.headers), { endStream: false });
        stream.write(body.subarray(0, 4));
        await new Promise((resolve) => setTimeout(resolve, 30));
        stream.end(body.subarray(4));
        expect((await responseOf(stream)).trailers["grpc-status"]).toBe("0");
      }),
    ).toBe(1);
    expect(
      await dispatched(async () => {
        const raw = await connectRaw(service.url);
        const headers = { authorization: authorization(), ...POST.headers, "content-length": "14" };
        raw.write(head(`POST ${PATH}`, headers));
        await new Promise((resolve) => setTimeout(resolve, 30));
        raw.write(JSON_BYTES);
        expect((await raw.response()).status).toBe(200);
        raw.destroy();
      }),
    ).toBe(1);
  });

  test("a project that has changed", async () => {
    await over2(GRPC);
    expect(await dispatched(() => over2(GRPC))).toBe(0);
    await changeProject("worldcup");
    await expect.poll(() => dispatched(() => over2(GRPC))).toBe(1);
    expect(listEvents).toHaveBeenCalledTimes(2);
  });
});

test("a closing service keeps no connection alive, after a cached response either", async () => {
  await over1(POST);
  service.drain();
  const count = await dispatched(async () => {
    expect((await over1(POST)).headers.connection).toBe("close");
  });
  expect(count).toBe(0);
});

test("a call that is taken back before its response has a line in the log", async () => {
  await over2(GRPC);
  const stream = session.request(toHead(GRPC.body, { ...GRPC.headers, "x-request-id": "gone" }));
  stream.on("error", () => {});
  stream.write(GRPC.body);
  stream.close(8);
  expect(await lineOf("gone")).toMatchObject({ status: 499, complete: false, http: "2.0" });
  expect(await dispatched(() => over2(GRPC))).toBe(0);
});

describe("a response whose time was up", () => {
  useLimitedTime();

  test("is given for 5 seconds: the next may get further", async () => {
    const read = vi.fn(async (_request: unknown, { budget }: DeliveryCall) => {
      await budget.spend(() => sleep(WORK_LIMITS.request + 1));
      return { events: [] };
    });
    const busy = await startReadService(marquee, { listEvents: read });
    const lifetime = async () => (await busy.list()).headers.get("cache-control");
    expect(await lifetime()).toBe("public, s-maxage=5, stale-while-revalidate=0");
    busy.wait(2_000);
    expect(await lifetime()).toBe("public, s-maxage=3, stale-while-revalidate=0");
    expect(read).toHaveBeenCalledTimes(1);
    busy.wait(3_000);
    await lifetime();
    expect(read).toHaveBeenCalledTimes(2);
    await busy.close();
  });
});
