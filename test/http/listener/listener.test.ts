import { once } from "node:events";
import http2 from "node:http2";
import net from "node:net";
import { Duplex } from "node:stream";
import { pino } from "pino";
import { describe, expect, test } from "vitest";
import { HTTP_LIMITS } from "../../../src/http/listener/limits.ts";
import { getUrl, PROCEDURES } from "../../harness/calls.ts";
import { type HeldEvents, holdEvents } from "../../harness/held-events.ts";
import { connectHttp2, requestHttp2, responseOf } from "../../harness/http2.ts";
import { startMarquee, startOver } from "../../harness/marquee.ts";
import { connectRaw, head } from "../../harness/raw-socket.ts";
import { useMarquee } from "../../harness/use-marquee.ts";

const marquee = await useMarquee();

const LIST = getUrl(PROCEDURES.listEvents, { pageSize: 1 });
const GRACE = 10_000;

/** Starts another server over the same data, whose lists of events wait. */
async function startHeld() {
  const held: HeldEvents = holdEvents(marquee.store);
  const server = await startOver(held.store);
  return { held, server, url: server.studioUrl };
}

const authorization = () => `Bearer ${marquee.keys.public}`;
const listRequest = () => head(`GET ${LIST}`, { Authorization: authorization() });

describe("one port distinguishes the versions of HTTP", () => {
  test("when the HTTP/2 preface comes byte by byte", async () => {
    const session = http2.connect(marquee.url, { createConnection: () => dripping(marquee.url) });
    const got = await requestHttp2(session, { ":path": "/healthz" });
    expect(got.json).toEqual({ status: "ok" });
    session.close();
  });

  test.each(["PUT", "PRI", "POST"])(
    "when %s, which begins as the preface does, comes byte by byte",
    async (method) => {
      const raw = await connectRaw(marquee.url);
      await raw.drip(head(`${method} /healthz`));
      const got = await raw.response();
      expect(got.status).toBe(method === "PRI" ? 400 : 405);
      raw.destroy();
    },
  );

  test("when the preface and the first request come in one packet", async () => {
    const session = await connectHttp2(marquee.url);
    const all = Array.from({ length: 20 }, () => requestHttp2(session, { ":path": "/readyz" }));
    for (const { status } of await Promise.all(all)) expect(status).toBe(200);
    session.close();
  });
});

describe("HTTP/1.1", () => {
  test("keeps a connection for many requests", async () => {
    const raw = await connectRaw(marquee.url);
    for (let round = 0; round < 5; round += 1) {
      raw.write(listRequest());
      const got = await raw.response();
      expect(got.status).toBe(200);
      expect(got.headers.connection).toBe("keep-alive");
    }
    raw.destroy();
  });

  test("serves pipelined requests in their order", async () => {
    const raw = await connectRaw(marquee.url);
    raw.write(listRequest() + head("GET /nothing") + head("HEAD /healthz") + head("GET /healthz"));
    expect((await raw.response()).status).toBe(200);
    expect((await raw.response()).status).toBe(404);
    const headed = await raw.response({ bodyless: true });
    expect(headed.headers["content-length"]).toBe(String('{"status":"ok"}\n'.length));
    expect(JSON.parse((await raw.response()).text)).toEqual({ status: "ok" });
    raw.destroy();
  });

  test("serves a good request although what comes behind it is none", async () => {
    const { held, server, url } = await startHeld();
    const raw = await connectRaw(url);
    raw.write(`${listRequest()}garbage\r\n\r\n`);
    await held.arrived(1);
    held.release();
    const got = await raw.response();
    expect(got.status).toBe(200);
    expect(got.headers.connection).toBe("close");
    expect(await raw.closed()).toBe("");
    await server.close(0);
  });

  const garbage = {
    "bytes that are no request": "\u0016\u0003\u0001\u0002\u0000\r\n\r\n",
    "a header without a colon": "GET /healthz HTTP/1.1\r\nHost x\r\n\r\n",
    "both kinds of body length": head("POST /healthz", {
      "Content-Length": "4",
      "Transfer-Encoding": "chunked",
    }),
    CONNECT: "CONNECT example.com:80 HTTP/1.1\r\nHost: example.com\r\n\r\n",
  };
  test.each(Object.entries(garbage))(
    "%s is 400 with a JSON body, and the connection ends",
    async (_, bytes) => {
      const raw = await connectRaw(marquee.url);
      raw.write(bytes);
      const got = await raw.response();
      expect(got.status).toBe(400);
      expect(JSON.parse(got.text)).toMatchObject({ code: 3, details: [{ domain: "marquee" }] });
      expect(await raw.closed()).toBe("");
    },
  );

  test.each(["BREW", "get", "M-SEARCH*"])("the unknown method %s is 501", async (method) => {
    const raw = await connectRaw(marquee.url);
    raw.write(head(`${method} /healthz`));
    const { status, text } = await raw.response();
    expect([status, JSON.parse(text).message]).toEqual([501, "the HTTP method is unknown"]);
    expect(await raw.closed()).toBe("");
  });

  test.each([
    ["http://other.example:81/healthz", 200],
    ["HTTP://localhost/healthz?x=1", 200],
    ["http://localhost", 404],
    ["http://localhost?x=1", 404],
    ["http://user@localhost/healthz", 400],
    ["http:///healthz", 400],
    ["ftp://localhost/healthz", 400],
    ["healthz", 400],
    ["*", 400],
  ])("the target %s is %i", async (target, want) => {
    const raw = await connectRaw(marquee.url);
    raw.write(head(`GET ${target}`));
    expect((await raw.response()).status).toBe(want);
    raw.destroy();
  });

  test("a target with a host takes the place of the Host header, and has the response of its path", async () => {
    const raw = await connectRaw(marquee.url);
    raw.write(head(`GET http://localhost${LIST}`, { Authorization: authorization() }));
    const got = await raw.response();
    raw.write(listRequest());
    const want = await raw.response();
    expect([got.status, got.text]).toEqual([200, want.text]);
    const missing = "GET http://localhost/healthz HTTP/1.1\r\n\r\n";
    for (const request of [head("GET http://a:99999/healthz"), missing]) {
      raw.write(request);
      expect(JSON.parse((await raw.response()).text).details[0].reason).toBe("HOST_MALFORMED");
    }
    raw.destroy();
  });

  test("a body in broken chunks is 400 in the form of the path, with the request's id", async () => {
    const raw = await connectRaw(marquee.url);
    const headers = {
      Authorization: authorization(),
      "Content-Type": "application/json",
      "Connect-Protocol-Version": "1",
      "Transfer-Encoding": "chunked",
      "X-Request-Id": "broken-1",
    };
    raw.write(`${head(`POST ${PROCEDURES.listEvents}`, headers)}zz\r\n`);
    const got = await raw.response();
    expect(got.status).toBe(400);
    expect(got.headers["x-request-id"]).toBe("broken-1");
    expect(JSON.parse(got.text).code).toBe("invalid_argument");
    raw.destroy();
  });
});

describe("a draining server", () => {
  const DRAIN = 1_000;

  test("responds on kept and new connections, each for the last time, and is not ready", async () => {
    const { held, server, url } = await startHeld();
    held.release();
    const kept = await connectRaw(url);
    kept.write(head("GET /readyz"));
    expect((await kept.response()).headers.connection).toBe("keep-alive");
    const closed = server.close(GRACE, DRAIN);
    kept.write(listRequest());
    const added = await connectRaw(url);
    added.write(listRequest());
    for (const raw of [kept, added]) {
      const got = await raw.response();
      expect([got.status, got.headers.connection]).toEqual([200, "close"]);
      await raw.closed();
    }
    const probe = await connectRaw(url);
    probe.write(head("GET /readyz"));
    const got = await probe.response();
    expect(got.status).toBe(503);
    expect(got.text).toContain("SHUTTING_DOWN");
    await closed;
    await expect(connectRaw(url)).rejects.toThrow("ECONNREFUSED");
  });

  test("finishes the streams of HTTP/2 connections, and takes one stream on each new one", async () => {
    const { held, server, url } = await startHeld();
    const stream = { ":path": LIST, authorization: authorization() };
    const kept = await connectHttp2(url);
    const running = requestHttp2(kept, stream);
    await held.arrived(1);
    const isRejected = new Promise((resolve) => kept.once("goaway", resolve));
    const closed = server.close(GRACE, DRAIN);
    await isRejected;
    held.release();
    expect((await running).status).toBe(200);
    const added = await connectHttp2(url);
    const isOver = new Promise((resolve) => added.once("close", resolve));
    expect((await requestHttp2(added, stream)).status).toBe(200);
    await isOver;
    await closed;
  });
});

describe("a closing server", () => {
  test("serves 50 HTTP/2 streams and 50 HTTP/1.1 requests under way, and takes no more", async () => {
    const { held, server, url } = await startHeld();
    const session = await connectHttp2(url);
    const streams = Array.from({ length: 50 }, () =>
      requestHttp2(session, { ":path": LIST, authorization: authorization() }),
    );
    const sockets = await Promise.all(Array.from({ length: 50 }, () => connectRaw(url)));
    for (const raw of sockets) raw.write(listRequest());
    await held.arrived(100);

    let isClosed = false;
    const closed = server.close(GRACE).then(() => {
      isClosed = true;
    });
    await expect(connectRaw(url)).rejects.toThrow("ECONNREFUSED");
    expect(isClosed).toBe(false);

    held.release();
    for (const { status } of await Promise.all(streams)) expect(status).toBe(200);
    for (const raw of sockets) expect((await raw.response()).status).toBe(200);
    await Promise.all(sockets.map((raw) => raw.closed()));
    await closed;
  });

  test("says on a kept connection that it is the last response", async () => {
    const { held, server, url } = await startHeld();
    const raw = await connectRaw(url);
    raw.write(listRequest());
    await held.arrived(1);
    const closed = server.close(GRACE);
    raw.write(head("GET /healthz"));
    // The request has reached the server before the held one ends.
    await new Promise((resolve) => setTimeout(resolve, 50));
    held.release();
    expect((await raw.response()).status).toBe(200);
    const last = await raw.response();
    expect(last.headers.connection).toBe("close");
    await closed;
  });

  test("ends idle connections, and those that said nothing yet, before requests under way", async () => {
    const { held, server, url } = await startHeld();
    const silent = await connectRaw(url);
    const half = await connectRaw(url);
    half.write("PRI * HT");
    const idle = await connectRaw(url);
    idle.write(head("GET /healthz"));
    await idle.response();
    const session = await connectHttp2(url);
    await requestHttp2(session, { ":path": "/healthz" });
    const raw = await connectRaw(url);
    raw.write(listRequest());
    await held.arrived(1);
    const ended = once(session, "close");
    // A grace that is over before a silent connection ends by itself: then the request has ended, too.
    const closed = server.close(HTTP_LIMITS.headersTimeout / 2);
    for (const each of [silent, half, idle]) await each.closed();
    await ended;
    held.release();
    expect((await raw.response()).status).toBe(200);
    await closed;
  });

  test("cuts what is not finished when the grace is over", async () => {
    const { held, server, url } = await startHeld();
    const raw = await connectRaw(url);
    raw.write(listRequest());
    const session = await connectHttp2(url);
    const stream = session.request({ ":path": LIST, authorization: authorization() });
    const response = responseOf(stream);
    const rejected = expect(response).rejects.toThrow();
    await held.arrived(2);
    const start = performance.now();
    await server.close(150);
    expect(performance.now() - start).toBeGreaterThan(140);
    await raw.closed();
    await rejected;
    held.release();
  });
});

describe("a client that leaves", () => {
  test("in the middle of its body or its response does no harm", async () => {
    const lines: string[] = [];
    const log = pino({ level: "error" }, { write: (line) => void lines.push(line) });
    const other = await startMarquee({ log });
    for (let round = 0; round < 20; round += 1) {
      const raw = await connectRaw(other.url);
      const headers = {
        Authorization: `Bearer ${round % 2 ? other.keys.public : other.tokens.owner}`,
        "Content-Type": "application/json",
        "Connect-Protocol-Version": "1",
        "Content-Length": "100",
      };
      const path = round % 2 ? PROCEDURES.listEvents : "/streaming/video_protection/v2/rulesets";
      raw.write(`${head(`POST ${path}`, headers)}{`);
      await new Promise((resolve) => setImmediate(resolve));
      raw.destroy();
      const session = await connectHttp2(other.url);
      const stream = session.request({ ":path": LIST, authorization: authorization() });
      stream.on("error", () => {});
      await new Promise((resolve) => setImmediate(resolve));
      session.destroy();
    }
    const session = await connectHttp2(other.url);
    expect((await requestHttp2(session, { ":path": "/readyz" })).status).toBe(200);
    session.close();
    await other.close();
    expect(lines).toEqual([]);
  });
});

/** A connection that sends every byte in a packet of its own. */
function dripping(url: string): Duplex {
  const { hostname, port } = new URL(url);
  const socket = net.connect({ host: hostname, port: Number(port), noDelay: true });
  const duplex = new Duplex({
    read: () => {},
    write(chunk: Uint8Array, _encoding, done) {
      const next = (index: number) => {
        if (index === chunk.length) return done();
        socket.write(chunk.subarray(index, index + 1));
        setImmediate(next, index + 1);
      };
      next(0);
    },
    final: (done) => void socket.end(() => done()),
    destroy(cause, done) {
      socket.destroy();
      done(cause);
    },
  });
  socket.on("data", (chunk) => duplex.push(chunk));
  socket.on("end", () => duplex.push(null));
  return duplex;
}
