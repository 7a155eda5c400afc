import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { UpdateEventRequestSchema } from "../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import { connectHeaders, getUrl, PROCEDURES } from "../harness/calls.ts";
import { frame, unframe, webTrailers } from "../harness/grpc-frame.ts";
import { reasonOf, send } from "../harness/http.ts";
import { connectHttp2, requestHttp2 } from "../harness/http2.ts";
import { type Marquee, startMarquee } from "../harness/marquee.ts";
import { connectRaw, head } from "../harness/raw-socket.ts";

let marquee: Marquee;
beforeAll(async () => {
  marquee = await startMarquee();
});
afterAll(() => marquee.close());

const { listEvents } = PROCEDURES;
const BROKEN_PROTO = Uint8Array.of(0x0a, 0x7f, 0x01);

const BAD_HOSTS = ["a|b", "x:99999", "", "a b", "[::1", "x:1:2", "u@h", "x/y", "é"];

describe("trap 1: a malformed Host", () => {
  for (const host of BAD_HOSTS) {
    for (const path of ["/healthz", "/monetization/transactions/v1", listEvents]) {
      test(`'${host}' on ${path} is 400 over HTTP/1.1 and the service lives on`, async () => {
        const raw = await connectRaw(marquee.url);
        raw.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
        const got = await raw.answer();
        expect(got.status).toBe(400);
        expect(got.headers["content-type"]).toBe("application/json");
        expect(got.headers["x-request-id"]).toBeTruthy();
        const want = path === listEvents ? "invalid_argument" : 3;
        expect(JSON.parse(got.text)).toMatchObject({ code: want, message: expect.any(String) });
        raw.destroy();
        expect((await send("GET", `${marquee.url}/healthz`)).status).toBe(200);
      });
    }
  }

  for (const lines of ["", "Host: a\r\nHost: b\r\n", "Host: a\r\nHost: a\r\n"]) {
    test(`on 1.1 ${JSON.stringify(lines)} is 400: there must be exactly one`, async () => {
      const raw = await connectRaw(marquee.url);
      raw.write(`GET /healthz HTTP/1.1\r\n${lines}\r\n`);
      const got = await raw.answer();
      expect(got.status).toBe(400);
      expect(JSON.parse(got.text)).toMatchObject({ code: 3 });
      raw.destroy();
    });
  }

  for (const path of ["/healthz", "/monetization/transactions/v1", getUrl(listEvents, {})]) {
    test(`HTTP/1.0 without a Host is served: ${path.slice(0, 30)}`, async () => {
      const raw = await connectRaw(marquee.url);
      const token = path.startsWith("/svc") ? marquee.keys.public : marquee.tokens.owner;
      raw.write(`GET ${path} HTTP/1.0\r\nAuthorization: Bearer ${token}\r\n\r\n`);
      expect((await raw.answer()).status).toBe(200);
      await raw.closed();
    });
  }

  for (const host of ["localhost", "a.example:65535", "[::1]:80", "127.0.0.1", "my_host"]) {
    test(`'${host}' is a good one`, async () => {
      const raw = await connectRaw(marquee.url);
      raw.write(head("GET /healthz", { Host: host }));
      expect((await raw.answer()).status).toBe(200);
      raw.destroy();
    });
  }

  for (const authority of ["a|b", "x:99999", "", "a b", "[::1", "u@h"]) {
    test(`:authority '${authority}' is refused over HTTP/2 and the service lives on`, async () => {
      const session = await connectHttp2(marquee.url);
      const got = await requestHttp2(session, { ":path": listEvents, ":authority": authority })
        .then((answer) => answer.status)
        .catch(() => "reset");
      // The HTTP/2 library itself resets a stream whose authority holds forbidden characters.
      expect([400, "reset"]).toContain(got);
      const after = await requestHttp2(session, { ":path": "/healthz" }).catch(() => undefined);
      if (got === 400) expect(after?.status).toBe(200);
      session.close();
      expect((await send("GET", `${marquee.url}/healthz`)).status).toBe(200);
    });
  }

  test("an :authority with a port that is too large is 400 in the promised form", async () => {
    const session = await connectHttp2(marquee.url);
    const got = await requestHttp2(session, { ":path": "/x", ":authority": "x:99999" });
    expect(got.status).toBe(400);
    expect(got.json).toMatchObject({ code: 3, details: [{ reason: "HOST_MALFORMED" }] });
    session.close();
  });
});

describe("trap 2: the GET of a plain URL", () => {
  test("needs no connect=v1 and no header", async () => {
    const got = await send("GET", marquee.url + getUrl(listEvents, { pageSize: 1 }), {
      token: marquee.keys.public,
    });
    expect(got.status).toBe(200);
    expect(got.json.events).toHaveLength(1);
  });

  test("may carry connect=v1", async () => {
    const url = marquee.url + getUrl(listEvents, { pageSize: 1 }, "&connect=v1");
    expect((await send("GET", url, { token: marquee.keys.public })).status).toBe(200);
  });
});

describe("trap 6: a deadline longer than Node's timers hold", () => {
  for (const timeout of ["9999999999", "2147483648", "600001"]) {
    test(`connect-timeout-ms ${timeout} is served`, async () => {
      const headers = {
        ...connectHeaders(marquee.keys.public),
        "connect-timeout-ms": timeout,
      };
      const got = await send("POST", marquee.url + listEvents, { headers, body: {} });
      expect(got.status).toBe(200);
    });
  }

  for (const timeout of ["99999999H", "99999999S", "601S"]) {
    test(`grpc-timeout ${timeout} is served`, async () => {
      const session = await connectHttp2(marquee.url);
      const got = await grpc(session, frame(new Uint8Array()), { "grpc-timeout": timeout });
      expect(got.trailers["grpc-status"]).toBe("0");
      session.close();
    });
  }
});

describe("trap 7: answers of the HTTP layer have JSON bodies", () => {
  const cases = [
    ["GET", "/nothing/here", 404, 5, undefined],
    ["GET", "/svc.cda.cms.event.v1.EventService/Nothing", 404, "unimplemented", undefined],
    ["GET", `${listEvents}?encoding=xml&message=%7B%7D`, 415, "invalid_argument", undefined],
    ["GET", `${listEvents}?encoding=&message=%7B%7D`, 415, "invalid_argument", undefined],
    ["PUT", listEvents, 405, "unimplemented", "GET, POST"],
    ["GET", PROCEDURES.exchangeToken, 405, "unimplemented", "POST"],
    ["POST", "/healthz", 405, 12, "GET, HEAD"],
    ["DELETE", "/monetization/transactions/v1", 405, 12, "GET, POST"],
    ["OPTIONS", "/streaming/video_protection/v2/rulesets", 405, 12, "GET, POST"],
    ["POST", listEvents, 415, "invalid_argument", undefined],
    ["POST", "/streaming/video_protection/v2/rulesets", 415, 3, undefined],
  ] as const;
  for (const [method, path, status, code, allow] of cases) {
    test(`${method} ${path} is ${status}${allow ? ` with Allow: ${allow}` : ""}`, async () => {
      const got = await send(method, marquee.url + path, {
        token: path.startsWith("/svc") ? marquee.keys.public : marquee.tokens.owner,
        headers: { "content-type": "text/plain" },
        ...(method === "POST" && { body: "x" }),
      });
      expect(got.status).toBe(status);
      expect(got.headers.get("content-type")).toBe("application/json");
      expect(got.headers.get("allow")).toBe(allow ?? null);
      expect(got.json.code).toBe(code);
      expect(reasonOf(got)).toMatch(/^[A-Z][A-Z_]+$/);
    });
  }
});

describe("trap 8: what cannot be read is INVALID_ARGUMENT", () => {
  const message = (text: string, more: string) =>
    `${listEvents}?encoding=${more}&message=${encodeURIComponent(text)}`;
  const gets = {
    "bad base64": message("%%%", "proto&base64=1"),
    "bad base64 of JSON": message("{*}", "json&base64=1"),
    "base64 of a broken message": message("Cn8B", "proto&base64=1"),
    "broken JSON": message("{", "json"),
    "an empty JSON message": message("", "json"),
    "truncated gzip": message(
      gzipSync("{}").subarray(0, 12).toString("base64url"),
      "json&base64=1&compression=gzip",
    ),
    "no encoding": `${listEvents}?message=%7B%7D`,
    "no query": listEvents,
  };
  for (const [name, path] of Object.entries(gets)) {
    test(`${name} in a GET`, async () => {
      const got = await send("GET", marquee.url + path, { token: marquee.keys.public });
      expect(got.status).toBe(400);
      expect(got.json.code).toBe("invalid_argument");
      expect(reasonOf(got)).toMatch(/MALFORMED$/);
    });
  }

  const posts: Record<string, [string, Uint8Array, Record<string, string>]> = {
    "an undecodable binary message": ["application/proto", BROKEN_PROTO, {}],
    "broken JSON": ["application/json", Buffer.from("{"), {}],
    "invalid UTF-8": ["application/json", Buffer.from('{"pageToken":"\xff"}', "latin1"), {}],
    "truncated gzip": [
      "application/json",
      gzipSync("{}").subarray(0, 12),
      { "content-encoding": "gzip" },
    ],
    "gzip that is none": ["application/json", Buffer.from("{}"), { "content-encoding": "gzip" }],
    "brotli that is none": ["application/json", Buffer.from("{}"), { "content-encoding": "br" }],
  };
  for (const [name, [type, body, more]] of Object.entries(posts)) {
    test(`${name} in a Connect POST`, async () => {
      const headers = { ...connectHeaders(marquee.keys.public, type), ...more };
      const got = await send("POST", marquee.url + listEvents, { headers, body });
      expect(got.status).toBe(400);
      expect(got.json.code).toBe("invalid_argument");
      expect(reasonOf(got)).toMatch(/^[A-Z_]+$/);
    });
  }

  const LARGE = toBinary(
    UpdateEventRequestSchema,
    create(UpdateEventRequestSchema, { event: { entityIds: Array(80_000).fill("x") } }),
  );
  const UPDATE = "/svc.studio.cms.event.v1.EventService/UpdateEvent";
  const large: Record<string, [string, Uint8Array, Record<string, string>]> = {
    "a Connect POST": ["application/proto", LARGE, {}],
    "a compressed Connect POST": [
      "application/proto",
      gzipSync(LARGE),
      { "content-encoding": "gzip" },
    ],
    "gRPC-Web": ["application/grpc-web+proto", frame(LARGE), {}],
    "compressed gRPC-Web": [
      "application/grpc-web+proto",
      frame(gzipSync(LARGE), 1),
      { "grpc-encoding": "gzip" },
    ],
  };
  for (const [name, [type, body, more]] of Object.entries(large)) {
    test(`too many fields in ${name}, before they are decoded`, async () => {
      const headers = { ...connectHeaders(marquee.tokens.owner, type), ...more };
      const got = await send("POST", marquee.url + UPDATE, { headers, body });
      expect(decodeURIComponent(got.text)).toContain("has more than 80000 fields");
    });
  }

  const frames: Record<string, [Uint8Array, Record<string, string>]> = {
    "an undecodable binary message": [frame(BROKEN_PROTO), {}],
    "an envelope cut short": [frame(new Uint8Array(100)).subarray(0, 50), {}],
    "a prefix cut short": [Uint8Array.of(0, 0), {}],
    "truncated gzip": [
      frame(gzipSync(new Uint8Array(40)).subarray(0, 12), 1),
      { "grpc-encoding": "gzip" },
    ],
  };
  for (const [name, [body, headers]] of Object.entries(frames)) {
    test(`${name} over gRPC`, async () => {
      const session = await connectHttp2(marquee.url);
      const got = await grpc(session, body, headers);
      expect(got.status).toBe(200);
      expect(got.trailers["grpc-status"]).toBe("3");
      expect(got.trailers["grpc-status-details-bin"]).toBeTruthy();
      session.close();
    });

    test(`${name} over gRPC-Web`, async () => {
      const response = await fetch(marquee.url + listEvents, {
        method: "POST",
        headers: {
          authorization: `Bearer ${marquee.keys.public}`,
          "content-type": "application/grpc-web+proto",
          ...headers,
        },
        body: Buffer.from(body),
      });
      expect(response.status).toBe(200);
      const trailers = webTrailers(Buffer.from(await response.arrayBuffer()));
      expect(trailers["grpc-status"]).toBe("3");
    });
  }
});

describe("a compressed message in a request that names no encoding is INTERNAL", () => {
  const body = frame(gzipSync(new Uint8Array(8)), 1);
  const HEALTH = "/grpc.health.v1.Health/";
  for (const [name, path] of [
    ["a unary call", listEvents],
    ["a stream", `${HEALTH}Watch`],
  ] as const) {
    for (const headers of [{}, { "grpc-encoding": "identity" }]) {
      test(`of ${name} over gRPC and gRPC-Web, ${JSON.stringify(headers)}`, async () => {
        const session = await connectHttp2(marquee.url);
        const got = await grpc(session, body, headers, path);
        expect({ ...got.headers, ...got.trailers }).toMatchObject({
          "grpc-status": "13",
          "grpc-status-details-bin": expect.stringMatching(/./),
        });
        session.close();
        const response = await fetch(marquee.url + path, {
          method: "POST",
          headers: {
            authorization: `Bearer ${marquee.keys.public}`,
            "content-type": "application/grpc-web+proto",
            ...headers,
          },
          body: Buffer.from(body),
        });
        const trailers = webTrailers(Buffer.from(await response.arrayBuffer()));
        expect(trailers["grpc-status"]).toBe("13");
      });
    }
  }

  test("of a Connect stream", async () => {
    const response = await fetch(`${marquee.url}${HEALTH}Watch`, {
      method: "POST",
      headers: { "content-type": "application/connect+proto" },
      body: Buffer.from(body),
    });
    const [end] = unframe(Buffer.from(await response.arrayBuffer()));
    expect(JSON.parse(String(end?.data))).toMatchObject({ error: { code: "internal" } });
  });
});

describe("a type that a method does not take is 415, never 5xx", () => {
  const types = [
    ["", false, false],
    ["text/plain", false, false],
    ["application/json", true, false],
    ["application/json; charset=utf-8", true, false],
    ["application/proto", true, false],
    ["application/xml", false, false],
    ["application/connect+json", false, true],
    ["application/connect+proto", false, true],
    ["application/connect+xml", false, false],
    ["application/grpc", true, true],
    ["application/grpc+proto", true, true],
    ["application/grpc+json", true, true],
    ["application/grpc+xml", false, false],
    ["application/grpc-web", true, true],
    ["application/grpc-web+proto", true, true],
    ["application/grpc-web+json", true, true],
    ["application/grpc-web+xml", false, false],
    ["application/grpc-web-text", false, false],
    ["application/grpc-web-text+proto", false, false],
    ["application/grpc-web-text+json", false, false],
    ["Application/GRPC-Web-Text+Proto", false, false],
  ] as const;
  for (const [type, isUnary, isStream] of types) {
    for (const [path, isTaken] of [
      [listEvents, isUnary],
      ["/grpc.health.v1.Health/Watch", isStream],
    ] as const) {
      test(`'${type}' to ${path}`, async () => {
        const session = await connectHttp2(marquee.url);
        const headers = {
          ...connectHeaders(marquee.keys.public, type),
          ":method": "POST",
          ":path": path,
          te: "trailers",
        };
        const got = await requestHttp2(session, headers, frame(new Uint8Array(), 1));
        session.close();
        if (isTaken) return expect([200, 400]).toContain(got.status);
        expect(got.status).toBe(415);
        expect(got.json).toMatchObject({
          code: "invalid_argument",
          details: [{ debug: { reason: "UNSUPPORTED_MEDIA_TYPE" } }],
        });
      });
    }
  }
});

test("a method that streams in both directions is 505 over HTTP/1.1, with a word why", async () => {
  const raw = await connectRaw(marquee.url);
  const path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
  const type = { "Content-Type": "application/grpc-web", "Content-Length": "0" };
  raw.write(head(`POST ${path}`, type));
  const got = await raw.answer();
  expect([got.status, JSON.parse(got.text).code]).toEqual([505, "unimplemented"]);
  raw.destroy();
});

describe("trap 10: Accept-Encoding as RFC 9110 means it", () => {
  const cases = {
    "gzip;q=1.0, identity;q=0.5": "gzip",
    GZIP: "gzip",
    "br;q=0.1, gzip;q=0.9": "gzip",
    "Br ; q=1": "br",
    "gzip;q=0": null,
    "gzip;q=0, br": "br",
    identity: null,
    "zstd, x": null,
    "": null,
  };
  for (const [accept, want] of Object.entries(cases)) {
    test(`'${accept}' gets ${want ?? "no encoding"}`, async () => {
      const got = await send("GET", marquee.url + getUrl(listEvents, { pageSize: 20 }), {
        token: marquee.keys.public,
        headers: { "accept-encoding": accept },
      });
      expect(got.status).toBe(200);
      expect(got.headers.get("content-encoding")).toBe(want);
      expect(got.json.events).toHaveLength(20);
    });
  }
});

function grpc(
  session: Awaited<ReturnType<typeof connectHttp2>>,
  body: Uint8Array,
  headers: Record<string, string>,
  path: string = listEvents,
) {
  const fixed = {
    ":method": "POST",
    ":path": path,
    authorization: `Bearer ${marquee.keys.public}`,
    "content-type": "application/grpc+proto",
    te: "trailers",
  };
  return requestHttp2(session, { ...fixed, ...headers }, body);
}
