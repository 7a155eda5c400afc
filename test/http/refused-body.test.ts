import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectHeaders, PROCEDURES } from "../harness/calls.ts";
import { frame } from "../harness/grpc-frame.ts";
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
