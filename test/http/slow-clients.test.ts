import { once } from "node:events";
import type { OutgoingHttpHeaders } from "node:http2";
import net from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import type { Event } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { UnreadResponses } from "../../src/http/listener/unread-responses.ts";
import { grpcHeaders } from "../harness/ask.ts";
import { sendBody, startBareListener } from "../harness/bare-listener.ts";
import { connectHeaders, getUrl, PROCEDURES } from "../harness/calls.ts";
import { frame } from "../harness/grpc-frame.ts";
import { send } from "../harness/http.ts";
import { connectHttp2, requestHttp2, responseOf } from "../harness/http2.ts";
import { connectRaw, head } from "../harness/raw-socket.ts";
import { startReadService } from "../harness/read-service.ts";
import { useMarquee } from "../harness/use-marquee.ts";

// The whole service with every time of the HTTP layer made short.
vi.mock(import("../../src/http/listener/limits.ts"), async (original) => {
  const { HTTP_LIMITS, ...rest } = await original();
  const short = {
    headersTimeout: 300,
    requestTimeout: 1_500,
    responseTimeout: 4_000,
    stallTimeout: 1_000,
    idleTimeout: 300,
    pingTimeout: 300,
    lingerTime: 300,
    checkInterval: 50,
  };
  return { ...rest, HTTP_LIMITS: { ...HTTP_LIMITS, ...short } } as unknown as Awaited<
    ReturnType<typeof original>
  >;
});

const marquee = await useMarquee();

const { listEvents } = PROCEDURES;
const REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const SETTINGS = Uint8Array.of(0, 0, 0, 4, 0, 0, 0, 0, 0);
const RULESETS = "/streaming/video_protection/v2/rulesets";
const STUDIO = { authorization: `Bearer ${marquee.tokens.owner}` };

describe.concurrent("a connection is closed", () => {
  test.each([
    ["on which nothing comes", ""],
    ["after half a preface", PREFACE.slice(0, 12)],
    ["after the preface alone", PREFACE],
    ["after the preface and settings", Buffer.concat([Buffer.from(PREFACE), SETTINGS])],
  ])("%s", async (_, bytes) => {
    const raw = await connectRaw(marquee.url);
    raw.write(bytes);
    await raw.closed();
  });

  test.each([
    ["half a request line", "GET /heal", ""],
    ["half the headers", "GET /healthz HTTP/1.1\r\nHost: x\r\n", ""],
    ["headers that drip in", "GET /healthz HTTP/1.1\r\nHost: x\r\nx-slow: ", "a"],
  ])("with 408 after %s", async (_, bytes, drip) => {
    const raw = await connectRaw(marquee.url);
    const start = performance.now();
    raw.write(bytes);
    const dripping = setInterval(() => raw.write(drip), 40);
    const got = await raw.response();
    clearInterval(dripping);
    expect([got.status, JSON.parse(got.text).code]).toEqual([408, 4]);
    // Sooner than the time for a whole request.
    expect(performance.now() - start).toBeLessThan(1_400);
    expect(got.headers["x-request-id"]).toBeTruthy();
    await raw.closed();
  });

  test("when it is idle after a response, over either version", async () => {
    const raw = await connectRaw(marquee.url);
    raw.write(head("GET /healthz"));
    expect((await raw.response()).status).toBe(200);
    await raw.closed();
    const session = await connectHttp2(marquee.url);
    expect((await requestHttp2(session, { ":path": "/healthz" })).status).toBe(200);
    await once(session, "close");
  });
});

describe.concurrent("a body that does not come is 408", () => {
  const list = connectHeaders(marquee.keys.public);
  /** Sends a head over HTTP/2, a part of the body, and again and again another one. */
  const request = async (headers: OutgoingHttpHeaders, part: string | Uint8Array, drip = "") => {
    const session = await connectHttp2(marquee.url);
    const stream = session.request({ ":method": "POST", ...headers }, { endStream: false });
    stream.write(part);
    const dripping = setInterval(() => drip && stream.write(drip), 40);
    const got = await responseOf(stream);
    clearInterval(dripping);
    return { got, session };
  };

  test.each([
    [listEvents, list, "deadline_exceeded"],
    [RULESETS, STUDIO, 4],
  ] as const)("at %s, with the id of the request", async (path, headers, code) => {
    const raw = await connectRaw(marquee.url);
    const more = { ...headers, "Content-Length": "10", "X-Request-Id": "slow-1" };
    raw.write(`${head(`POST ${path}`, more)}{`);
    const over1 = await raw.response();
    expect([over1.status, JSON.parse(over1.text).code]).toEqual([408, code]);
    expect(over1.headers["x-request-id"]).toBe("slow-1");
    await raw.closed();
    const { got, session } = await request({ ":path": path, ...headers }, "{");
    expect([got.status, got.json.code]).toEqual([408, code]);
    expect((await requestHttp2(session, { ":path": "/healthz" })).status).toBe(200);
    session.close();
  });

  test("and DEADLINE_EXCEEDED over gRPC", async () => {
    const headers = grpcHeaders(listEvents, { token: marquee.keys.public });
    const { got, session } = await request(headers, frame(new Uint8Array(10)).subarray(0, 7));
    expect(got.trailers["grpc-status"]).toBe("4");
    session.close();
  });

  test("over HTTP/2 as well when it drips", async () => {
    const { got, session } = await request({ ":path": listEvents, ...list }, " ", " ");
    expect(got.status).toBe(408);
    session.destroy();
  });

  test("a rejected body that never ends is waited for only so long", async () => {
    const raw = await connectRaw(marquee.url);
    const headers = { ...connectHeaders("mqp_wrong"), "Transfer-Encoding": "chunked" };
    raw.write(`${head(`POST ${listEvents}`, headers)}5\r\nhello\r\n`);
    expect((await raw.response()).status).toBe(401);
    await raw.closed();
  });
});

describe.concurrent("a quiet stream", () => {
  test("lives as long as its client responds to pings", async () => {
    const session = await connectHttp2(marquee.url);
    const stream = session.request(grpcHeaders(REFLECTION), { endStream: false });
    let pings = 0;
    await new Promise<void>((resolve, reject) => {
      stream.once("close", () => reject(new Error("the stream was closed")));
      session.on("ping", () => {
        pings += 1;
        if (pings === 3) resolve();
      });
    });
    const response = responseOf(stream);
    stream.end();
    expect((await response).trailers["grpc-status"]).toBe("0");
    session.close();
  });

  test("is cut when its client is gone", async () => {
    const raw = await connectRaw(marquee.url);
    // A POST of a bidirectional call in literal headers (RFC 7541 6.2.2); it responds to no ping.
    const literal = (name: number[], value: string) =>
      Buffer.concat([Buffer.from([...name, value.length]), Buffer.from(value)]);
    const block = Buffer.concat([
      Buffer.from([0x83, 0x86]),
      literal([0x04], REFLECTION),
      literal([0x01], "localhost"),
      literal([0x0f, 0x10], "application/grpc"),
    ]);
    const headers = Buffer.concat([Uint8Array.of(0, 0, block.length, 1, 4, 0, 0, 0, 1), block]);
    const PING = Buffer.from([0, 0, 8, 6, 0]).toString("latin1");
    raw.write(Buffer.concat([Buffer.from(PREFACE), SETTINGS, headers]));
    expect(await raw.closed()).toContain(PING);
  });
});

describe("a response that nobody takes", () => {
  const ended: boolean[] = [];
  let listener: Awaited<ReturnType<typeof startBareListener>>;
  beforeAll(async () => {
    listener = await startBareListener({
      unread: new UnreadResponses(256 * 1024 * 1024),
      respond: (exchange) => sendBody(exchange, Buffer.alloc(64 * 1024 * 1024)),
      onClose: (_, isSent) => ended.push(isSent),
    });
  });
  afterAll(() => listener.close());
  beforeEach(() => {
    ended.length = 0;
  });
  const cut = () => vi.waitFor(() => expect(ended).toEqual([false]), { timeout: 30_000 });

  test("is given up over HTTP/1.1", async () => {
    const socket = connectSilently(listener.port);
    socket.pause();
    socket.write(head("GET /"));
    await cut();
    socket.destroy();
  });

  test("is given up when it is taken so slowly that it takes too long", async () => {
    const start = performance.now();
    const socket = connectSilently(listener.port);
    // A few bytes at a time, so that every part of it is taken within the time for one.
    socket.on("data", () => {
      socket.pause();
      setTimeout(() => socket.resume(), 20);
    });
    socket.write(head("GET /"));
    await cut();
    // Longer than one that is not taken at all lives.
    expect(performance.now() - start).toBeGreaterThan(3_900);
    socket.destroy();
  });

  test("is given up over HTTP/2", async () => {
    const session = await connectHttp2(`http://127.0.0.1:${listener.port}`);
    const stream = session.request({ ":path": "/" });
    stream.on("error", () => {});
    stream.pause();
    await cut();
    session.destroy();
  });
});

function connectSilently(port: number): net.Socket {
  const socket = net.connect(port, "127.0.0.1");
  return socket.on("error", () => {});
}

test("a cached response that nobody takes is given up, over either version", async () => {
  const event = { id: "x".repeat(700_000) } as Event;
  const service = await startReadService(marquee, { listEvents: () => ({ events: [event] }) });
  for (let time = 0; time < 2; time += 1) await service.list();
  const path = getUrl(listEvents, {});
  const headers = { authorization: `Bearer ${marquee.keys.public}` };
  const session = await connectHttp2(service.url);
  const more = { ":path": path, "accept-encoding": "identity", "x-request-id": "untaken" };
  const stream = session.request({ ...headers, ...more });
  stream.on("error", () => {});
  stream.pause();
  const socket = connectSilently(Number(new URL(service.url).port));
  socket.pause();
  // More of them than the connection can hold.
  socket.write(head(`GET ${path}`, headers).repeat(40));
  await vi.waitFor(
    () => {
      const cut = service.captured.lines.filter((line) => line.complete === false);
      const over2 = cut.filter((line) => line.request_id === "untaken");
      expect(over2).toEqual([expect.objectContaining({ status: 200 })]);
      expect(cut.length).toBeGreaterThan(1);
    },
    { timeout: 20_000 },
  );
  socket.destroy();
  session.destroy();
  await service.close();
});

test("after all of this the service responds", async () => {
  expect((await send("GET", `${marquee.url}/readyz`)).status).toBe(200);
});
