import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectHeaders, PROCEDURES } from "../harness/calls.ts";
import { frame, unframe, webTrailers } from "../harness/grpc-frame.ts";
import { answerOf, connectHttp2, requestHttp2 } from "../harness/http2.ts";
import { type Marquee, startMarquee } from "../harness/marquee.ts";
import { chunked, connectRaw, head } from "../harness/raw-socket.ts";

let marquee: Marquee;
beforeAll(async () => {
  marquee = await startMarquee();
});
afterAll(() => marquee.close());

const MiB = 1024 * 1024;
const { listEvents, checkHealth } = PROCEDURES;
const RULESETS = "/streaming/video_protection/v2/rulesets";
const WATCH = "/grpc.health.v1.Health/Watch";
const REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
const GRPC_WEB = "application/grpc-web+proto";
const GOOD = head("GET /healthz");

/** Requests that are refused before their body is read to its end. */
const refusals = () => {
  const delivery = connectHeaders(marquee.keys.public);
  const management = { authorization: `Bearer ${marquee.tokens.owner}` };
  return [
    { name: "delivery, over the limit", path: listEvents, headers: delivery, want: 413, size: 3 },
    { name: "management, over it", path: RULESETS, headers: management, want: 413, size: 8 },
    { name: "no credentials, Connect", path: listEvents, headers: {}, want: 401, size: 2 },
    { name: "no credentials, REST", path: RULESETS, headers: {}, want: 401, size: 2 },
    { name: "unknown path", path: "/nothing", headers: {}, want: 404, size: 2 },
    { name: "wrong method", path: "/healthz", headers: {}, want: 405, size: 2 },
  ];
};

describe("trap 12 over HTTP/1.1", () => {
  for (let index = 0; index < 6; index += 1) {
    for (const form of ["chunked", "Content-Length"]) {
      test(`case ${index}, ${form}: the client sees the whole answer, and nobody waits behind it`, async () => {
        const { path, headers, want, size, name } = refusals()[index] ?? expect.fail();
        const body = Buffer.alloc(size * MiB, 0x20);
        const raw = await connectRaw(marquee.url);
        const length = form === "chunked" ? "Transfer-Encoding" : "Content-Length";
        raw.write(
          head(`POST ${path}`, {
            "Content-Type": "application/json",
            ...headers,
            [length]: form === "chunked" ? "chunked" : String(body.length),
          }),
        );
        raw.write(form === "chunked" ? chunked(body) : body);
        raw.write(GOOD);
        const got = await raw.answer();
        expect(got.status, name).toBe(want);
        expect(JSON.parse(got.text).details).toHaveLength(1);
        expect(got.headers.connection).toBe("close");
        // The connection is closed, so the client knows that the second request was not answered.
        expect(await raw.closed()).toBe("");
      });
    }
  }

  test("a client that reads only when all is sent can send it all, and then sees the answer", async () => {
    for (const { path, headers, want, name } of refusals()) {
      const raw = await connectRaw(marquee.url);
      raw.socket.pause();
      const more = { ...headers, "Content-Type": "application/json" };
      raw.write(head(`POST ${path}`, { ...more, "Transfer-Encoding": "chunked" }));
      const fault = await new Promise((resolve) => {
        raw.socket.write(chunked(Buffer.alloc(12 * MiB, 0x20)), resolve);
      });
      expect(fault ?? undefined, name).toBeUndefined();
      raw.socket.resume();
      expect((await raw.answer()).status, name).toBe(want);
      raw.destroy();
    }
  });

  test("a refusal by Content-Length is there before the body is sent", async () => {
    const raw = await connectRaw(marquee.url);
    raw.write(
      head(`POST ${listEvents}`, {
        ...connectHeaders(marquee.keys.public),
        "Content-Length": String(MiB + 1),
      }),
    );
    expect((await raw.answer()).status).toBe(413);
    raw.destroy();
  });

  test("a client that waits for 100 Continue is refused without it, and asked for a good body", async () => {
    for (const [token, want] of [
      ["mqp_wrong", "401"],
      [marquee.keys.public, "100"],
    ] as const) {
      const raw = await connectRaw(marquee.url);
      raw.write(
        head(`POST ${listEvents}`, {
          ...connectHeaders(token),
          "Content-Length": "2",
          Expect: "100-Continue",
        }),
      );
      const seen = await new Promise((resolve) => raw.socket.once("data", resolve));
      expect(String(seen)).toContain(`HTTP/1.1 ${want}`);
      if (want === "100") {
        raw.write("{}");
        expect((await raw.answer()).status).toBe(200);
      }
      raw.destroy();
    }
  });

  const RULESET = { authorization: "", "Content-Type": "application/json" };
  for (const [name, path, headers, limit] of [
    ["Connect", listEvents, (token: string) => connectHeaders(token), MiB],
    ["gRPC-Web", listEvents, (token: string) => connectHeaders(token, GRPC_WEB), MiB + 5],
    ["REST", RULESETS, () => RULESET, 4 * MiB],
  ] as const) {
    test(`a client that waits for 100 Continue with too long a body is told so instead: ${name}`, async () => {
      for (const [size, want] of [
        [limit, "100 Continue"],
        [limit + 1, name === "gRPC-Web" ? "200 OK" : "413 "],
      ] as const) {
        const raw = await connectRaw(marquee.url);
        const authorization = `Bearer ${name === "REST" ? marquee.tokens.owner : marquee.keys.public}`;
        raw.write(
          head(`POST ${path}`, {
            ...headers(marquee.keys.public),
            authorization,
            "Content-Length": String(size),
            Expect: "100-continue",
          }),
        );
        const seen = String(await new Promise((resolve) => raw.socket.once("data", resolve)));
        expect(seen.slice(0, 9 + want.length)).toBe(`HTTP/1.1 ${want}`);
        if (name === "gRPC-Web" && size > limit) expect(seen).toContain("grpc-status: 8");
        raw.destroy();
      }
    });
  }

  test("another expectation is 417", async () => {
    const raw = await connectRaw(marquee.url);
    raw.write(head("GET /healthz", { Expect: "202-accepted" }));
    const got = await raw.answer();
    expect(got.status).toBe(417);
    expect(JSON.parse(got.text).code).toBe(3);
    raw.destroy();
  });

  test("a good body leaves the connection open for the next request", async () => {
    const raw = await connectRaw(marquee.url);
    for (let round = 0; round < 3; round += 1) {
      const headers = connectHeaders(marquee.keys.public);
      raw.write(head(`POST ${listEvents}`, { ...headers, "Transfer-Encoding": "chunked" }));
      raw.write(chunked(Buffer.from("{}")));
      expect((await raw.answer()).status).toBe(200);
      raw.write(GOOD);
      expect((await raw.answer()).status).toBe(200);
    }
    raw.destroy();
  });
});

describe("a message over the limit on a request stream", () => {
  const types = ["application/grpc+proto", GRPC_WEB, "application/connect+proto"];
  const prefix = (length: number) => frame(new Uint8Array(length)).subarray(0, 5);
  /** What is sent, and whether it is sent to its end. */
  const bodies: readonly (readonly [string, () => Uint8Array, boolean])[] = [
    ["announced, and nothing more sent", () => prefix(MiB + 1), false],
    ["announced as long as can be", () => Uint8Array.of(0, 255, 255, 255, 255), false],
    ["sent, and no end", () => frame(new Uint8Array(3 * MiB)), false],
    ["sent whole", () => frame(new Uint8Array(3 * MiB)), true],
  ];
  for (const type of types) {
    for (const [name, body, isEnded] of bodies) {
      for (const path of [REFLECTION, WATCH]) {
        test(`${name}: ${type} to ${path.split("/").at(-1)} over HTTP/2 is told at once, and the stream is over`, async () => {
          const session = await connectHttp2(marquee.url);
          for (let round = 0; round < 2; round += 1) {
            const headers = { ":method": "POST", ":path": path, "content-type": type };
            const stream = session.request({ ...headers, te: "trailers" }, { endStream: false });
            const over = new Promise<void>((resolve) => stream.once("close", resolve));
            const start = performance.now();
            stream.write(body());
            if (isEnded) stream.end();
            const got = await answerOf(stream);
            expect(performance.now() - start).toBeLessThan(2_000);
            expect(streamCode(got.headers, got.trailers, got.body, type)).toBe("8");
            await over;
            expect(performance.now() - start).toBeLessThan(3_000);
          }
          expect((await requestHttp2(session, { ":path": "/healthz" })).status).toBe(200);
          session.close();
        });
      }
    }
  }

  for (const type of types.slice(1)) {
    for (const form of ["chunked", "Content-Length"]) {
      test(`${type}, ${form}: over HTTP/1.1 the answer ends the connection, and nobody waits behind it`, async () => {
        const raw = await connectRaw(marquee.url);
        const body = frame(new Uint8Array(3 * MiB));
        const isChunked = form === "chunked";
        const length = isChunked ? "Transfer-Encoding" : "Content-Length";
        raw.write(
          head(`POST ${WATCH}`, {
            "Content-Type": type,
            [length]: isChunked ? "chunked" : String(body.length),
          }),
        );
        raw.write(isChunked ? chunked(body) : body);
        raw.write(GOOD);
        const got = await raw.answer();
        expect([got.status, got.headers.connection]).toEqual([200, "close"]);
        expect(streamCode(got.headers, {}, Buffer.from(got.text), type)).toBe("8");
        expect(await raw.closed()).toBe("");
      });
    }

    test(`${type}: a client that never stops sending is cut off`, async () => {
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
  }

  test("at the limit is read, also in pieces of one byte and behind others", async () => {
    const session = await connectHttp2(marquee.url);
    const stream = session.request(
      { ":method": "POST", ":path": REFLECTION, "content-type": types[0], te: "trailers" },
      { endStream: false },
    );
    // Unknown fields fill the message.
    const full = Buffer.alloc(MiB);
    full.set([0x7a, 0xfc, 0xff, 0x3f]);
    for (const byte of frame(new Uint8Array())) stream.write(Uint8Array.of(byte));
    stream.write(frame(full));
    stream.end(frame(new Uint8Array()));
    const got = await answerOf(stream);
    expect(got.trailers["grpc-status"]).toBe("0");
    expect(unframe(got.body)).toHaveLength(3);
    session.close();
  });
});

/** Reads the code that a stream's answer ends with, in each protocol's form. */
function streamCode(headers: object, trailers: object, body: Buffer, type: string) {
  if (type === "application/grpc+proto") return { ...headers, ...trailers }["grpc-status" as never];
  if (type === GRPC_WEB) return webTrailers(body)["grpc-status"];
  const end = unframe(body).at(-1);
  return JSON.parse(String(end?.data)).error?.code === "resource_exhausted" ? "8" : "other";
}

describe("trap 12 over HTTP/2", () => {
  test("each refusal is answered and the connection stays usable for far more than its window", async () => {
    const session = await connectHttp2(marquee.url);
    for (const { path, headers, want, size, name } of refusals()) {
      for (let round = 0; round < 3; round += 1) {
        const body = Buffer.alloc(size * MiB, 0x20);
        const request = { ":method": "POST", ":path": path, "content-type": "application/json" };
        const got = await requestHttp2(session, { ...request, ...headers }, body);
        expect(got.status, name).toBe(want);
        expect(got.json.details, name).toHaveLength(1);
      }
    }
    expect((await requestHttp2(session, { ":path": "/healthz" })).status).toBe(200);
    session.close();
  });

  test("a stream that never ends its body is refused too", async () => {
    const session = await connectHttp2(marquee.url);
    const stream = session.request(
      { ":method": "POST", ":path": listEvents, ...connectHeaders(marquee.keys.public) },
      { endStream: false },
    );
    stream.write(Buffer.alloc(2 * MiB, 0x20));
    const got = await answerOf(stream);
    expect(got.status).toBe(413);
    expect((await requestHttp2(session, { ":path": "/healthz" })).status).toBe(200);
    session.close();
  });

  const grpcCases = [
    ["an envelope over the limit", listEvents, "8"],
    ["no credentials", listEvents, "16"],
    ["an envelope over the limit of a service without credentials", checkHealth, "8"],
  ] as const;
  for (const [name, path, want] of grpcCases) {
    test(`gRPC with ${name} is answered and the connection stays usable`, async () => {
      const session = await connectHttp2(marquee.url);
      for (let round = 0; round < 3; round += 1) {
        const got = await requestHttp2(
          session,
          {
            ":method": "POST",
            ":path": path,
            "content-type": "application/grpc+proto",
            te: "trailers",
            ...(want === "8" && { authorization: `Bearer ${marquee.keys.public}` }),
          },
          frame(new Uint8Array(2 * MiB)),
        );
        expect(got.status).toBe(200);
        expect({ ...got.headers, ...got.trailers }["grpc-status"]).toBe(want);
      }
      expect((await requestHttp2(session, { ":path": "/healthz" })).status).toBe(200);
      session.close();
    });
  }

  test("a reflection stream with an envelope over the limit ends with RESOURCE_EXHAUSTED", async () => {
    const session = await connectHttp2(marquee.url);
    const stream = session.request(
      {
        ":method": "POST",
        ":path": "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
        "content-type": "application/grpc+proto",
        te: "trailers",
      },
      { endStream: false },
    );
    stream.write(frame(new Uint8Array(2 * MiB)));
    const got = await answerOf(stream);
    expect({ ...got.headers, ...got.trailers }["grpc-status"]).toBe("8");
    expect((await requestHttp2(session, { ":path": "/healthz" })).status).toBe(200);
    session.close();
  });
});
