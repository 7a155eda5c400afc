import { once } from "node:events";
import net from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Event } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { Exchange } from "../../src/http/listener/exchange.ts";
import { Listener } from "../../src/http/listener/listener.ts";
import { RequestMetrics } from "../../src/http/listener/request-metrics.ts";
import { sendResponse } from "../../src/http/listener/send.ts";
import { UnreadResponses } from "../../src/http/listener/unread-responses.ts";
import { connectHeaders, getUrl, PROCEDURES } from "../harness/calls.ts";
import { frame } from "../harness/grpc-frame.ts";
import { send } from "../harness/http.ts";
import { answerOf, connectHttp2, requestHttp2 } from "../harness/http2.ts";
import { type Marquee, startMarquee } from "../harness/marquee.ts";
import { connectRaw, head } from "../harness/raw-socket.ts";
import { startReadService } from "../harness/read-service.ts";

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

let marquee: Marquee;
beforeAll(async () => {
  marquee = await startMarquee();
});
afterAll(() => marquee.close());

const { listEvents } = PROCEDURES;
const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const SETTINGS = Uint8Array.of(0, 0, 0, 4, 0, 0, 0, 0, 0);

describe.concurrent("a connection is closed", () => {
  const silent: Record<string, string | Uint8Array> = {
    "on which nothing comes": "",
    "after half a preface": PREFACE.slice(0, 12),
    "after the preface alone": PREFACE,
    "after the preface and settings": Buffer.concat([Buffer.from(PREFACE), SETTINGS]),
  };
  for (const [name, bytes] of Object.entries(silent)) {
    test(name, async () => {
      const raw = await connectRaw(marquee.url);
      raw.write(bytes);
      await raw.closed();
    });
  }

  const half: Record<string, string> = {
    "half a request line": "GET /heal",
    "half the headers": "GET /healthz HTTP/1.1\r\nHost: x\r\n",
  };
  for (const [name, bytes] of Object.entries(half)) {
    test(`with 408 after ${name}`, async () => {
      const raw = await connectRaw(marquee.url);
      const start = performance.now();
      raw.write(bytes);
      const got = await raw.answer();
      expect(got.status).toBe(408);
      // Sooner than the time for a whole request.
      expect(performance.now() - start).toBeLessThan(1_400);
      expect(got.headers["x-request-id"]).toBeTruthy();
      expect(JSON.parse(got.text)).toMatchObject({ code: 4 });
      await raw.closed();
    });
  }

  test("with 408 when headers drip in one byte at a time", async () => {
    const raw = await connectRaw(marquee.url);
    const drip = setInterval(() => raw.write("a"), 40);
    raw.write("GET /healthz HTTP/1.1\r\nHost: x\r\nx-slow: ");
    expect((await raw.answer()).status).toBe(408);
    clearInterval(drip);
    await raw.closed();
  });

  test("when it is idle after an answer", async () => {
    const raw = await connectRaw(marquee.url);
    raw.write(head("GET /healthz"));
    expect((await raw.answer()).status).toBe(200);
    await raw.closed();
  });

  test("when it is idle after an answer over HTTP/2", async () => {
    const session = await connectHttp2(marquee.url);
    expect((await requestHttp2(session, { ":path": "/healthz" })).status).toBe(200);
    await once(session, "close");
  });
});

describe.concurrent("a body that does not come is 408", () => {
  const targets = () => [
    { path: listEvents, headers: connectHeaders(marquee.keys.public), code: "deadline_exceeded" },
    {
      path: "/streaming/video_protection/v2/rulesets",
      headers: { authorization: `Bearer ${marquee.tokens.owner}` },
      code: 4,
    },
  ];
  for (const index of [0, 1]) {
    test(`over HTTP/1.1, case ${index}, with the request's own id`, async () => {
      const { path, headers, code } = targets()[index] ?? expect.fail();
      const raw = await connectRaw(marquee.url);
      const more = { ...headers, "Content-Length": "10", "X-Request-Id": "slow-1" };
      raw.write(`${head(`POST ${path}`, more)}{`);
      const got = await raw.answer();
      expect(got.status).toBe(408);
      expect(got.headers["x-request-id"]).toBe("slow-1");
      expect(JSON.parse(got.text).code).toBe(code);
      await raw.closed();
    });

    test(`over HTTP/2, case ${index}, and the connection stays usable`, async () => {
      const { path, headers, code } = targets()[index] ?? expect.fail();
      const session = await connectHttp2(marquee.url);
      const stream = session.request(
        { ":method": "POST", ":path": path, ...headers },
        { endStream: false },
      );
      stream.write("{");
      const got = await answerOf(stream);
      expect(got.status).toBe(408);
      expect(got.json.code).toBe(code);
      expect((await requestHttp2(session, { ":path": "/healthz" })).status).toBe(200);
      session.close();
    });
  }

  test("and DEADLINE_EXCEEDED over gRPC", async () => {
    const session = await connectHttp2(marquee.url);
    const stream = session.request(
      {
        ":method": "POST",
        ":path": listEvents,
        authorization: `Bearer ${marquee.keys.public}`,
        "content-type": "application/grpc",
        te: "trailers",
      },
      { endStream: false },
    );
    stream.write(frame(new Uint8Array(10)).subarray(0, 7));
    expect((await answerOf(stream)).trailers["grpc-status"]).toBe("4");
    session.close();
  });

  test("over HTTP/2 as well when it drips", async () => {
    const session = await connectHttp2(marquee.url);
    const stream = session.request(
      { ":method": "POST", ":path": listEvents, ...connectHeaders(marquee.keys.public) },
      { endStream: false },
    );
    const drip = setInterval(() => stream.write(" "), 40);
    expect((await answerOf(stream)).status).toBe(408);
    clearInterval(drip);
    session.destroy();
  });

  test("a refused body that never ends is waited for only so long", async () => {
    const raw = await connectRaw(marquee.url);
    const headers = { ...connectHeaders("mqp_wrong"), "Transfer-Encoding": "chunked" };
    raw.write(`${head(`POST ${listEvents}`, headers)}5\r\nhello\r\n`);
    expect((await raw.answer()).status).toBe(401);
    await raw.closed();
  });
});

describe.concurrent("a quiet stream", () => {
  test("lives as long as its client answers pings", async () => {
    const session = await connectHttp2(marquee.url);
    const stream = session.request(
      {
        ":method": "POST",
        ":path": "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        "content-type": "application/grpc",
        te: "trailers",
      },
      { endStream: false },
    );
    let pings = 0;
    await new Promise<void>((resolve, reject) => {
      stream.once("close", () => reject(new Error("the stream was closed")));
      session.on("ping", () => {
        pings += 1;
        if (pings === 3) resolve();
      });
    });
    const answer = answerOf(stream);
    stream.end();
    expect((await answer).trailers["grpc-status"]).toBe("0");
    session.close();
  });

  test("is cut when its client is gone", async () => {
    const raw = await connectRaw(marquee.url);
    // A POST of a bidirectional call in literal headers (RFC 7541 6.2.2); it answers no ping.
    const literal = (name: number[], value: string) =>
      Buffer.concat([Buffer.from([...name, value.length]), Buffer.from(value)]);
    const block = Buffer.concat([
      Buffer.from([0x83, 0x86]),
      literal([0x04], "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"),
      literal([0x01], "localhost"),
      literal([0x0f, 0x10], "application/grpc"),
    ]);
    const headers = Buffer.concat([Uint8Array.of(0, 0, block.length, 1, 4, 0, 0, 0, 1), block]);
    const PING = Buffer.from([0, 0, 8, 6, 0]).toString("latin1");
    raw.write(Buffer.concat([Buffer.from(PREFACE), SETTINGS, headers]));
    expect(await raw.closed()).toContain(PING);
  });
});

describe("an answer that nobody takes", () => {
  let listener: Listener;
  let port: number;
  const ended: boolean[] = [];
  const unread = new UnreadResponses(256 * 1024 * 1024);
  beforeAll(async () => {
    listener = new Listener({
      keepsAlive: true,
      onRequest(request, response) {
        response.once("close", () => ended.push(response.writableFinished));
        const exchange = new Exchange(request, response, {
          findClient: () => ({ address: "", trustsHeaders: false }),
          unread,
          cors: () => ({}),
          requests: new RequestMetrics(),
        });
        const body = Buffer.alloc(64 * 1024 * 1024);
        sendResponse(exchange, { status: 200, headers: {}, body });
      },
      onUnreadable: (_fault, socket) => void socket.destroy(),
    });
    port = await listener.listen({ host: "127.0.0.1", port: 0, reusePort: false });
  });
  afterAll(() => listener.close(0));

  test("is given up over HTTP/1.1", async () => {
    const socket = net.connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.pause();
    socket.write(head("GET /"));
    await vi.waitFor(() => expect(ended).toEqual([false]), { timeout: 20_000 });
    socket.destroy();
  });

  test("is given up when it is taken so slowly that it takes too long", async () => {
    ended.length = 0;
    const start = performance.now();
    const socket = net.connect(port, "127.0.0.1");
    socket.on("error", () => {});
    // A few bytes at a time, so that every part of it is taken within the time for one.
    socket.on("data", () => {
      socket.pause();
      setTimeout(() => socket.resume(), 20);
    });
    socket.write(head("GET /"));
    await vi.waitFor(() => expect(ended).toEqual([false]), { timeout: 30_000 });
    // Longer than one that is not taken at all lives.
    expect(performance.now() - start).toBeGreaterThan(3_900);
    socket.destroy();
  });

  test("is given up over HTTP/2", async () => {
    ended.length = 0;
    const session = await connectHttp2(`http://127.0.0.1:${port}`);
    const stream = session.request({ ":path": "/" });
    stream.on("error", () => {});
    stream.pause();
    await vi.waitFor(() => expect(ended).toEqual([false]), { timeout: 20_000 });
    session.destroy();
  });
});

test("a cached response that nobody takes is given up", async () => {
  const event = { id: "x".repeat(700_000) } as Event;
  const service = await startReadService(marquee, { listEvents: () => ({ events: [event] }) });
  for (let time = 0; time < 2; time += 1) await service.list();
  const socket = net.connect(Number(new URL(service.url).port), "127.0.0.1");
  socket.on("error", () => {});
  socket.pause();
  // More of them than the connection can hold.
  const path = getUrl(listEvents, {});
  socket.write(head(`GET ${path}`, { authorization: `Bearer ${marquee.keys.public}` }).repeat(40));
  await vi.waitFor(
    () => expect(service.captured.lines.filter((line) => line.complete === false)).not.toEqual([]),
    { timeout: 20_000 },
  );
  socket.destroy();
  await service.close();
});

test("a cached response on a stream that nobody takes is given up", async () => {
  const event = { id: "x".repeat(700_000) } as Event;
  const service = await startReadService(marquee, { listEvents: () => ({ events: [event] }) });
  for (let time = 0; time < 2; time += 1) await service.list();
  const session = await connectHttp2(service.url);
  const authorization = `Bearer ${marquee.keys.public}`;
  const headers = { ":path": getUrl(listEvents, {}), authorization, "accept-encoding": "identity" };
  const stream = session.request({ ...headers, "x-request-id": "untaken" });
  stream.on("error", () => {});
  stream.pause();
  await vi.waitFor(
    () =>
      expect(service.captured.lines.find((line) => line.request_id === "untaken")).toMatchObject({
        status: 200,
        complete: false,
      }),
    { timeout: 20_000 },
  );
  session.destroy();
  await service.close();
});

test("after all of this the service answers", async () => {
  expect((await send("GET", `${marquee.url}/readyz`)).status).toBe(200);
});
