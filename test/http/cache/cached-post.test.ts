import type { ClientHttp2Session, OutgoingHttpHeaders } from "node:http2";
import { gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Event } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { ListEventsRequestSchema } from "../../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { CONSISTENCY_HEADER } from "../../../src/api/steps/consistency-token.ts";
import { getUrl, PROCEDURES } from "../../harness/calls.ts";
import { openDatabase } from "../../harness/database.ts";
import { frame } from "../../harness/grpc-frame.ts";
import { answerOf, connectHttp2, requestHttp2 } from "../../harness/http2.ts";
import { connectRaw, head } from "../../harness/raw-socket.ts";
import { type ReadService, startReadService } from "../../harness/read-service.ts";
import { useMarquee } from "../../harness/use-marquee.ts";

const { listEvents: PATH } = PROCEDURES;
const BINARY = toBinary(ListEventsRequestSchema, create(ListEventsRequestSchema, { pageSize: 3 }));
const JSON_BYTES = Buffer.from('{"pageSize":3}');

const marquee = await useMarquee();

const listEvents = vi.fn(() => ({ events: [{ id: "x".repeat(5_000) } as Event] }));

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

/** Sends a POST over HTTP/1.1 in one packet and returns all that its caller gets, but for the date. */
async function over1(
  { headers, body = new Uint8Array() }: Call,
  more: Record<string, string> = {},
) {
  const raw = await connectRaw(service.url);
  const all = { authorization: authorization(), ...headers, ...more };
  const lines = head(`POST ${PATH}`, { ...all, "content-length": `${body.length}` });
  raw.write(Buffer.concat([Buffer.from(lines), body]));
  const got = await raw.answer();
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

const lineOf = (requestId: string) =>
  vi.waitFor(() => {
    const found = service.captured.lines.filter((line) => line.request_id === requestId);
    expect(found).toHaveLength(1);
    return found[0];
  });

/** What a line says beside its times. */
const told = ({ time: _time, duration_ms: _duration, ...rest }: Record<string, unknown> = {}) =>
  rest;

const OVER: Readonly<Record<string, typeof over2 | typeof over1>> = { "1.1": over1, "2": over2 };

describe("a repeated call gets what the first got, and is not called again", () => {
  for (const [name, call] of Object.entries(CALLS)) {
    for (const [version, ask] of Object.entries(OVER)) {
      // A GET over HTTP/1.1 has tests of its own, and gRPC is spoken over HTTP/2.
      if (version === "1.1" && (call.body === undefined || call.headers.te !== undefined)) continue;
      test(`${name} over HTTP/${version}`, async () => {
        const got: unknown[] = [];
        const counts: number[] = [];
        for (let time = 0; time < 2; time += 1) {
          service.captured.lines.length = 0;
          const count = await dispatched(async () => {
            const answer = await ask(call, { "x-request-id": "mine" });
            got.push([answer, told(await lineOf("mine"))]);
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

  test("also a conditional GET over HTTP/2", async () => {
    const call = CALLS["Connect GET"] ?? expect.fail();
    const { headers } = await over2(call);
    const count = await dispatched(async () => {
      const got = await over2(call, { "if-none-match": String(headers.etag) });
      expect([got.headers[":status"], got.body]).toEqual([304, ""]);
    });
    expect(count).toBe(0);
  });

  test("each without an id of its own gets another one", async () => {
    const ids = new Set<unknown>();
    for (let time = 0; time < 4; time += 1) ids.add((await over2(GRPC)).headers["x-request-id"]);
    expect(ids.size).toBe(4);
  });
});

describe("what may get another answer is dispatched", () => {
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
    // A refusal is dispatched, but not let in.
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
        expect((await answerOf(stream)).trailers["grpc-status"]).toBe("0");
      }),
    ).toBe(1);
    expect(
      await dispatched(async () => {
        const raw = await connectRaw(service.url);
        const headers = { authorization: authorization(), ...POST.headers, "content-length": "14" };
        raw.write(head(`POST ${PATH}`, headers));
        await new Promise((resolve) => setTimeout(resolve, 30));
        raw.write(JSON_BYTES);
        expect((await raw.answer()).status).toBe(200);
        raw.destroy();
      }),
    ).toBe(1);
  });

  test("a project that has changed", async () => {
    await over2(GRPC);
    expect(await dispatched(() => over2(GRPC))).toBe(0);
    const database = openDatabase(marquee.address);
    await database
      .updateTable("project")
      .set(({ eb }) => ({ change_count: eb("change_count", "+", 1) }))
      .where("id", "=", "worldcup")
      .execute();
    await database.destroy();
    await vi.waitFor(async () => expect(await dispatched(() => over2(GRPC))).toBe(1));
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

test("a call that is taken back before it is answered has a line in the log", async () => {
  await over2(GRPC);
  const stream = session.request(toHead(GRPC.body, { ...GRPC.headers, "x-request-id": "gone" }));
  stream.on("error", () => {});
  stream.write(GRPC.body);
  stream.close(8);
  expect(await lineOf("gone")).toMatchObject({ status: 499, complete: false, http: "2.0" });
  expect(await dispatched(() => over2(GRPC))).toBe(0);
});

test("many calls at once on one connection each get their own answer", async () => {
  await over2(GRPC);
  await over2(POST);
  const wanted = await Promise.all([over2(GRPC), over2(POST)]);
  const got = await Promise.all(
    Array.from({ length: 60 }, (_, index) => over2(index % 2 ? POST : GRPC)),
  );
  for (const [index, { body, trailers }] of got.entries()) {
    expect([body, trailers]).toEqual([wanted[index % 2]?.body, wanted[index % 2]?.trailers]);
  }
});

test("garbage behind a POST that is cached is refused after it", async () => {
  await over1(POST);
  const raw = await connectRaw(service.url);
  const headers = { authorization: authorization(), ...POST.headers, "content-length": "14" };
  raw.write(
    Buffer.concat([
      Buffer.from(head(`POST ${PATH}`, headers)),
      JSON_BYTES,
      Buffer.from("garbage\r\n\r\n"),
    ]),
  );
  expect((await raw.answer()).status).toBe(200);
  expect(await raw.closed()).toMatch(/^(HTTP\/1.1 400 |$)/);
});
