import { describe, expect, test } from "vitest";
import { HTTP_LIMITS } from "../../src/http/listener/limits.ts";
import { askRaw, grpcCode, grpcHeaders } from "../harness/ask.ts";
import { connectHeaders, PROCEDURES } from "../harness/calls.ts";
import { frame, unframe, webTrailers } from "../harness/grpc-frame.ts";
import { connectHttp2, requestHttp2, responseOf } from "../harness/http2.ts";
import { chunked, connectRaw, head } from "../harness/raw-socket.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();
const token = marquee.keys.public;

const MiB = 1024 * 1024;
const { listEvents, checkHealth } = PROCEDURES;
const RULESETS = "/streaming/video_protection/v2/rulesets";
const WATCH = "/grpc.health.v1.Health/Watch";
const REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const GRPC = "application/grpc+proto";
const GRPC_WEB = "application/grpc-web+proto";
const CONNECT_STREAM = "application/connect+proto";
const GOOD = head("GET /healthz");
const STUDIO = { authorization: `Bearer ${marquee.tokens.owner}` };

/** Requests that are rejected before their body of so many MiB is read to its end. */
const REJECTIONS = [
  ["delivery, over the limit", listEvents, connectHeaders(token), 413, 3],
  ["Studio API, over it", RULESETS, STUDIO, 413, 8],
  ["no credentials, Connect", listEvents, {}, 401, 2],
  ["no credentials, REST", RULESETS, {}, 401, 2],
  ["unknown path", "/nothing", {}, 404, 2],
  ["wrong method", "/healthz", {}, 405, 2],
] as const;

/** The header that says how a body is sent, and the bytes of the body. */
const framed = (form: string, body: Uint8Array) =>
  form === "chunked"
    ? ([{ "Transfer-Encoding": "chunked" }, chunked(body)] as const)
    : ([{ "Content-Length": String(body.length) }, body] as const);

/** Sends a head and returns the first bytes that come back. */
async function firstBytes(lines: string) {
  const raw = await connectRaw(marquee.url);
  raw.write(lines);
  const seen = String(await new Promise((resolve) => raw.socket.once("data", resolve)));
  return { raw, seen };
}

describe("trap 12 over HTTP/1.1", () => {
  describe.each(REJECTIONS)("%s", (_, path, headers, want, size) => {
    test.each(["chunked", "Content-Length"])(
      "%s: the client sees the whole response, and nobody waits behind it",
      async (form) => {
        const [length, body] = framed(form, Buffer.alloc(size * MiB, 0x20));
        const all = { "Content-Type": "application/json", ...headers, ...length };
        const raw = await connectRaw(marquee.url);
        for (const bytes of [head(`POST ${path}`, all), body, GOOD]) raw.write(bytes);
        const got = await raw.response();
        expect([got.status, got.headers.connection]).toEqual([want, "close"]);
        expect(JSON.parse(got.text).details).toHaveLength(1);
        // The connection is closed, so the client knows that the second request got no response.
        expect(await raw.closed()).toBe("");
      },
    );

    test("a client that reads only when all is sent can send it all, and then sees it", async () => {
      const raw = await connectRaw(marquee.url);
      raw.socket.pause();
      const more = { "Content-Type": "application/json", "Transfer-Encoding": "chunked" };
      raw.write(head(`POST ${path}`, { ...headers, ...more }));
      const error = await new Promise((resolve) => {
        raw.socket.write(chunked(Buffer.alloc(12 * MiB, 0x20)), resolve);
      });
      expect(error ?? undefined).toBeUndefined();
      raw.socket.resume();
      expect((await raw.response()).status).toBe(want);
      raw.destroy();
    });
  });

  test("a rejection by Content-Length is there before the body is sent", async () => {
    const headers = { ...connectHeaders(token), "Content-Length": String(MiB + 1) };
    expect((await askRaw(marquee.url, head(`POST ${listEvents}`, headers))).status).toBe(413);
  });

  const web = connectHeaders(token, GRPC_WEB);
  const rest = { ...STUDIO, "Content-Type": "application/json" };
  test.each([
    ["with wrong credentials", listEvents, connectHeaders("mqp_wrong"), 2, "401 "],
    ["with a good body", listEvents, connectHeaders(token), 2, "100 Continue"],
    ["at the limit by Connect", listEvents, connectHeaders(token), MiB, "100 Continue"],
    ["past the limit by Connect", listEvents, connectHeaders(token), MiB + 1, "413 "],
    ["at the limit by gRPC-Web", listEvents, web, MiB + 5, "100 Continue"],
    ["past the limit by gRPC-Web", listEvents, web, MiB + 6, "200 OK"],
    ["at the limit by REST", RULESETS, rest, 4 * MiB, "100 Continue"],
    ["past the limit by REST", RULESETS, rest, 4 * MiB + 1, "413 "],
  ])(
    "a client that waits for 100 Continue, %s, gets its status",
    async (_, path, headers, size, want) => {
      const more = { "Content-Length": String(size), Expect: "100-Continue" };
      const { raw, seen } = await firstBytes(head(`POST ${path}`, { ...headers, ...more }));
      expect(seen.slice(0, 9 + want.length)).toBe(`HTTP/1.1 ${want}`);
      if (want === "200 OK") expect(seen).toContain("grpc-status: 8");
      if (size === 2 && want === "100 Continue") {
        raw.write("{}");
        expect((await raw.response()).status).toBe(200);
      }
      raw.destroy();
    },
  );

  test("a client of HTTP/1.0, which takes 100 Continue for its response, is not sent it", async () => {
    const headers = { ...connectHeaders(token), "Content-Length": "2", Expect: "100-continue" };
    const request = head(`POST ${listEvents}`, headers).replace("HTTP/1.1", "HTTP/1.0");
    const { raw, seen } = await firstBytes(`${request}{}`);
    expect(seen.slice(0, 15)).toBe("HTTP/1.1 200 OK");
    raw.destroy();
  });

  test("another expectation is 417", async () => {
    const got = await askRaw(marquee.url, head("GET /healthz", { Expect: "202-accepted" }));
    expect([got.status, JSON.parse(got.text).code]).toEqual([417, 3]);
  });

  test("a good body leaves the connection open for the next request", async () => {
    const raw = await connectRaw(marquee.url);
    for (let round = 0; round < 3; round += 1) {
      const headers = { ...connectHeaders(token), "Transfer-Encoding": "chunked" };
      raw.write(head(`POST ${listEvents}`, headers));
      raw.write(chunked(Buffer.from("{}")));
      expect((await raw.response()).status).toBe(200);
      raw.write(GOOD);
      expect((await raw.response()).status).toBe(200);
    }
    raw.destroy();
  });
});

describe("a message over the limit on a request stream", () => {
  /** What is sent, and whether it is sent to its end. */
  const bodies = [
    ["announced, and nothing more sent", frame(new Uint8Array(MiB + 1)).subarray(0, 5), false],
    ["announced as long as can be", Uint8Array.of(0, 255, 255, 255, 255), false],
    ["sent, and no end", frame(new Uint8Array(3 * MiB)), false],
    ["sent whole", frame(new Uint8Array(3 * MiB)), true],
  ] as const;
  const calls = [GRPC, GRPC_WEB, CONNECT_STREAM].flatMap((type) =>
    [REFLECTION, WATCH].map((path) => [type, path] as const),
  );
  describe.each(calls)("%s to %s", (type, path) => {
    test.each(bodies)(
      "%s: gets the error at once over HTTP/2, and the stream is over",
      async (_, ...sent) => {
        const [body, isEnded] = sent;
        const session = await connectHttp2(marquee.url);
        for (let round = 0; round < 2; round += 1) {
          const stream = session.request(grpcHeaders(path, { type }), { endStream: false });
          const over = new Promise<void>((resolve) => stream.once("close", resolve));
          const start = performance.now();
          stream.write(body);
          if (isEnded) stream.end();
          const got = await responseOf(stream);
          expect(type === GRPC ? grpcCode(got) : streamCode(got.body, type)).toBe("8");
          await over;
          expect(performance.now() - start).toBeLessThan(HTTP_LIMITS.lingerTime);
        }
        expect((await requestHttp2(session, { ":path": "/healthz" })).status).toBe(200);
        session.close();
      },
    );
  });

  describe.each([GRPC_WEB, CONNECT_STREAM])("%s over HTTP/1.1", (type) => {
    test.each(["chunked", "Content-Length"])(
      "%s: the response ends the connection, and nobody waits behind it",
      async (form) => {
        const raw = await connectRaw(marquee.url);
        const [length, body] = framed(form, frame(new Uint8Array(3 * MiB)));
        const lines = head(`POST ${WATCH}`, { "Content-Type": type, ...length });
        for (const bytes of [lines, body, GOOD]) raw.write(bytes);
        const got = await raw.response();
        expect([got.status, got.headers.connection]).toEqual([200, "close"]);
        expect(streamCode(Buffer.from(got.text), type)).toBe("8");
        expect(await raw.closed()).toBe("");
      },
    );

    test("a client that never stops sending is cut off", async () => {
      const raw = await connectRaw(marquee.url);
      raw.write(head(`POST ${WATCH}`, { "Content-Type": type, "Transfer-Encoding": "chunked" }));
      const piece = chunked(frame(new Uint8Array(3 * MiB)));
      // Without its last chunk: the body goes on.
      const open = piece.subarray(0, piece.length - 5);
      let sent = 0;
      while (!raw.socket.destroyed && sent < 64 * MiB) {
        sent += open.length;
        await new Promise((resolve) => raw.socket.write(open, resolve));
      }
      await raw.closed();
      expect(sent).toBeLessThan(64 * MiB);
    });
  });

  test("at the limit is read, also in pieces of one byte and behind others", async () => {
    const session = await connectHttp2(marquee.url);
    const stream = session.request(grpcHeaders(REFLECTION), { endStream: false });
    // Unknown fields fill the message.
    const full = Buffer.alloc(MiB);
    full.set([0x7a, 0xfc, 0xff, 0x3f]);
    for (const byte of frame(new Uint8Array())) stream.write(Uint8Array.of(byte));
    stream.write(frame(full));
    stream.end(frame(new Uint8Array()));
    const got = await responseOf(stream);
    expect(got.trailers["grpc-status"]).toBe("0");
    expect(unframe(got.body)).toHaveLength(3);
    session.close();
  });
});

/** Reads the code that a stream's body ends with, in the form of gRPC-Web or Connect. */
function streamCode(body: Buffer, type: string) {
  if (type === GRPC_WEB) return webTrailers(body)["grpc-status"];
  const end = unframe(body).at(-1);
  return JSON.parse(String(end?.data)).error?.code === "resource_exhausted" ? "8" : "other";
}

describe("trap 12 over HTTP/2", () => {
  test("each rejection gets its response and the connection stays usable for far more than its window", async () => {
    const session = await connectHttp2(marquee.url);
    for (const [name, path, headers, want, size] of REJECTIONS) {
      for (let round = 0; round < 3; round += 1) {
        const request = { ":method": "POST", ":path": path, "content-type": "application/json" };
        const body = Buffer.alloc(size * MiB, 0x20);
        const got = await requestHttp2(session, { ...request, ...headers }, body);
        expect([got.status, got.json.details.length], name).toEqual([want, 1]);
      }
    }
    expect((await requestHttp2(session, { ":path": "/healthz" })).status).toBe(200);
    session.close();
  });

  test("a stream that never ends its body is rejected too", async () => {
    const session = await connectHttp2(marquee.url);
    const request = { ":method": "POST", ":path": listEvents, ...connectHeaders(token) };
    const stream = session.request(request, { endStream: false });
    stream.write(Buffer.alloc(2 * MiB, 0x20));
    expect((await responseOf(stream)).status).toBe(413);
    expect((await requestHttp2(session, { ":path": "/healthz" })).status).toBe(200);
    session.close();
  });

  test.each([
    ["an envelope over the limit", listEvents, token, "8"],
    ["no credentials", listEvents, "", "16"],
    ["an envelope over the limit of a service without credentials", checkHealth, token, "8"],
  ])("gRPC with %s gets its response, again and again", async (_, path, credential, want) => {
    const session = await connectHttp2(marquee.url);
    for (let round = 0; round < 3; round += 1) {
      const headers = grpcHeaders(path, { token: credential });
      const got = await requestHttp2(session, headers, frame(new Uint8Array(2 * MiB)));
      expect([got.status, grpcCode(got)]).toEqual([200, want]);
    }
    expect((await requestHttp2(session, { ":path": "/healthz" })).status).toBe(200);
    session.close();
  });
});
