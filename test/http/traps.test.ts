import { Buffer } from "node:buffer";
import { gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { UpdateEventRequestSchema } from "../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import { askGrpc, askGrpcWeb, askHttp2, askRaw } from "../harness/ask.ts";
import { connectHeaders, getUrl, PROCEDURES } from "../harness/calls.ts";
import { frame, unframe } from "../harness/grpc-frame.ts";
import { reasonOf, send } from "../harness/http.ts";
import { connectHttp2, requestHttp2 } from "../harness/http2.ts";
import { connectRaw, head } from "../harness/raw-socket.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();
const token = marquee.keys.public;

const { listEvents } = PROCEDURES;
const TRANSACTIONS = "/monetization/transactions/v1";
const RULESETS = "/streaming/video_protection/v2/rulesets";
const WATCH = "/grpc.health.v1.Health/Watch";
const BROKEN_PROTO = Uint8Array.of(0x0a, 0x7f, 0x01);
const GZIPPED = { "content-encoding": "gzip" };
const CUT_GZIP = gzipSync("{}").subarray(0, 12);

const isAlive = async () => (await send("GET", `${marquee.url}/healthz`)).status === 200;

describe("trap 1: a malformed Host", () => {
  const hosts = ["a|b", "x:99999", "", "a b", "[::1", "x:1:2", "u@h", "x/y", "é"];
  const paths = ["/healthz", TRANSACTIONS, listEvents];
  test.each(hosts.flatMap((host) => paths.map((path) => [host, path] as const)))(
    "'%s' on %s is 400 over HTTP/1.1, and the service lives on",
    async (host, path) => {
      const got = await askRaw(marquee.url, `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      expect(got.status).toBe(400);
      expect(got.headers["content-type"]).toBe("application/json");
      expect(got.headers["x-request-id"]).toBeTruthy();
      const code = path === listEvents ? "invalid_argument" : 3;
      expect(JSON.parse(got.text)).toMatchObject({ code, message: expect.any(String) });
      expect(await isAlive()).toBe(true);
    },
  );

  test.each(["", "Host: a\r\nHost: b\r\n", "Host: a\r\nHost: a\r\n"])(
    "on 1.1 %j is 400: there must be exactly one",
    async (lines) => {
      const got = await askRaw(marquee.url, `GET /healthz HTTP/1.1\r\n${lines}\r\n`);
      expect([got.status, JSON.parse(got.text).code]).toEqual([400, 3]);
    },
  );

  test.each(["/healthz", TRANSACTIONS, getUrl(listEvents, {})])(
    "HTTP/1.0 without a Host is served: %s",
    async (path) => {
      const raw = await connectRaw(marquee.url);
      const credential = path.startsWith("/svc") ? token : marquee.tokens.owner;
      raw.write(`GET ${path} HTTP/1.0\r\nAuthorization: Bearer ${credential}\r\n\r\n`);
      expect((await raw.response()).status).toBe(200);
      await raw.closed();
    },
  );

  test.each(["localhost", "a.example:65535", "[::1]:80", "127.0.0.1", "my_host"])(
    "'%s' is a good one",
    async (Host) => {
      expect((await askRaw(marquee.url, head("GET /healthz", { Host }))).status).toBe(200);
    },
  );

  test.each(["a|b", "x:99999", "", "a b", "[::1", "u@h"])(
    ":authority '%s' is rejected over HTTP/2, and the service lives on",
    async (authority) => {
      const session = await connectHttp2(marquee.url);
      const got = await requestHttp2(session, { ":path": listEvents, ":authority": authority })
        .then((response) => response.status)
        .catch(() => "reset");
      // The HTTP/2 library itself resets a stream whose authority holds forbidden characters.
      expect([400, "reset"]).toContain(got);
      const after = await requestHttp2(session, { ":path": "/healthz" }).catch(() => undefined);
      if (got === 400) expect(after?.status).toBe(200);
      session.close();
      expect(await isAlive()).toBe(true);
    },
  );

  test.each([
    "127.0.0.1:8080,127.0.0.1:8081",
    "127.0.0.1:8080%2C127.0.0.1:8081",
    "marquee.default:grpc",
    "services%2Fmarquee",
  ])("'%s', the target of a client of gRPC, is served", async (authority) => {
    const got = await askGrpc(marquee.url, listEvents, {
      token,
      headers: { ":authority": authority },
    });
    expect(got.code).toBe("0");
  });

  test("an :authority with a port that is too large is 400 in the promised form", async () => {
    const got = await askHttp2(marquee.url, { ":path": "/x", ":authority": "x:99999" });
    expect(got.status).toBe(400);
    expect(got.json).toMatchObject({ code: 3, details: [{ reason: "HOST_MALFORMED" }] });
  });
});

test.each([
  ["connect-timeout-ms", "9999999999"],
  ["connect-timeout-ms", "2147483648"],
  ["connect-timeout-ms", "600001"],
  ["grpc-timeout", "99999999H"],
  ["grpc-timeout", "99999999S"],
  ["grpc-timeout", "601S"],
] as const)(
  "trap 6: a deadline longer than Node's timers hold: %s %s is served",
  async (name, timeout) => {
    const headers = { [name]: timeout };
    if (name === "grpc-timeout") {
      expect((await askGrpc(marquee.url, listEvents, { token, headers })).code).toBe("0");
      return;
    }
    const request = { headers: { ...connectHeaders(token), ...headers }, body: {} };
    expect((await send("POST", marquee.url + listEvents, request)).status).toBe(200);
  },
);

test.each([
  ["GET", "/nothing/here", 404, 5, null],
  ["GET", "/svc.cda.cms.event.v1.EventService/Nothing", 404, "unimplemented", null],
  ["GET", `${listEvents}?encoding=xml&message=%7B%7D`, 415, "invalid_argument", null],
  ["GET", `${listEvents}?encoding=&message=%7B%7D`, 415, "invalid_argument", null],
  ["PUT", listEvents, 405, "unimplemented", "GET, HEAD, POST"],
  ["GET", PROCEDURES.exchangeToken, 405, "unimplemented", "POST"],
  ["POST", "/healthz", 405, 12, "GET, HEAD"],
  ["DELETE", TRANSACTIONS, 405, 12, "GET, HEAD, POST"],
  ["OPTIONS", RULESETS, 405, 12, "GET, HEAD, POST"],
  ["POST", listEvents, 415, "invalid_argument", null],
  ["POST", RULESETS, 415, 3, null],
] as const)(
  "trap 7: responses of the HTTP layer have JSON bodies: %s %s is %i, %s, Allow: %s",
  async (method, path, status, code, allow) => {
    const got = await send(method, marquee.url + path, {
      token: path.startsWith("/svc") ? token : marquee.tokens.owner,
      headers: { "content-type": "text/plain" },
      ...(method === "POST" && { body: "x" }),
    });
    const { headers } = got;
    expect([got.status, got.json.code, headers.get("allow")]).toEqual([status, code, allow]);
    expect(headers.get("content-type")).toBe("application/json");
    expect(reasonOf(got)).toMatch(/^[A-Z][A-Z_]+$/);
  },
);

describe("trap 8: what cannot be read is INVALID_ARGUMENT", () => {
  const message = (text: string, more: string) =>
    `${listEvents}?encoding=${more}&message=${encodeURIComponent(text)}`;
  test.each([
    ["bad base64", message("%%%", "proto&base64=1")],
    ["bad base64 of JSON", message("{*}", "json&base64=1")],
    ["base64 of a broken message", message("Cn8B", "proto&base64=1")],
    ["broken JSON", message("{", "json")],
    ["an empty JSON message", message("", "json")],
    ["JSON that is no object", message("[]", "json")],
    ["a broken escape", `${listEvents}?encoding=json&message=%zz`],
    ["cut gzip", message(CUT_GZIP.toString("base64url"), "json&base64=1&compression=gzip")],
    ["no encoding", `${listEvents}?message=%7B%7D`],
    ["no query", listEvents],
  ])("%s in a GET", async (_, path) => {
    const got = await send("GET", marquee.url + path, { token });
    expect([got.status, got.json.code]).toEqual([400, "invalid_argument"]);
    expect(reasonOf(got)).toMatch(/MALFORMED$|^JSON_SYNTAX$|^VALUE_INVALID$/);
  });

  test.each([
    ["an undecodable binary message", "application/proto", BROKEN_PROTO, {}],
    ["broken JSON", "application/json", Buffer.from("{"), {}],
    ["invalid UTF-8", "application/json", Buffer.from('{"pageToken":"\xff"}', "latin1"), {}],
    ["truncated gzip", "application/json", CUT_GZIP, GZIPPED],
    ["gzip that is none", "application/json", Buffer.from("{}"), GZIPPED],
    ["brotli that is none", "application/json", Buffer.from("{}"), { "content-encoding": "br" }],
  ])("%s in a Connect POST", async (_, type, body, more) => {
    const headers = { ...connectHeaders(token, type), ...more };
    const got = await send("POST", marquee.url + listEvents, { headers, body });
    expect([got.status, got.json.code]).toEqual([400, "invalid_argument"]);
    expect(reasonOf(got)).toMatch(/^[A-Z0-9_]+$/);
  });

  const LARGE = toBinary(
    UpdateEventRequestSchema,
    create(UpdateEventRequestSchema, { event: { entityIds: Array(80_000).fill("x") } }),
  );
  const GRPC_GZIP = { "grpc-encoding": "gzip" };
  test.each([
    ["a Connect POST", "application/proto", LARGE, {}],
    ["a compressed Connect POST", "application/proto", gzipSync(LARGE), GZIPPED],
    ["gRPC-Web", "application/grpc-web+proto", frame(LARGE), {}],
    ["compressed gRPC-Web", "application/grpc-web+proto", frame(gzipSync(LARGE), 1), GRPC_GZIP],
  ])("too many fields in %s, before they are decoded", async (_, type, body, more) => {
    const path = "/svc.studio.cms.event.v1.EventService/UpdateEvent";
    const headers = { ...connectHeaders(marquee.tokens.owner, type), ...more };
    const got = await send("POST", marquee.url + path, { headers, body });
    expect(decodeURIComponent(got.text)).toContain("has more than 80000 fields");
  });

  test.each([
    ["an undecodable binary message", frame(BROKEN_PROTO), {}],
    ["an envelope cut short", frame(new Uint8Array(100)).subarray(0, 50), {}],
    ["a prefix cut short", Uint8Array.of(0, 0), {}],
    ["truncated gzip", frame(gzipSync(new Uint8Array(40)).subarray(0, 12), 1), GRPC_GZIP],
  ])("%s over gRPC and gRPC-Web", async (_, body, headers) => {
    const got = await askGrpc(marquee.url, listEvents, { token, body, headers });
    expect([got.status, got.trailers["grpc-status"]]).toEqual([200, "3"]);
    expect(got.trailers["grpc-status-details-bin"]).toBeTruthy();
    const trailers = await askGrpcWeb(marquee.url, listEvents, { token, body, headers });
    expect(trailers["grpc-status"]).toBe("3");
  });
});

test("an unknown compression over gRPC is UNIMPLEMENTED, with the known ones", async () => {
  const headers = { "grpc-encoding": "deflate" };
  const got = await askGrpc(marquee.url, listEvents, { token, headers });
  expect([got.code, got.headers["grpc-accept-encoding"]]).toEqual(["12", "gzip,br"]);
});

describe("a compressed message in a request that names no encoding is INTERNAL", () => {
  const body = frame(gzipSync(new Uint8Array(8)), 1);

  test.each([
    [listEvents, {}],
    [listEvents, { "grpc-encoding": "identity" }],
    [WATCH, {}],
    [WATCH, { "grpc-encoding": "identity" }],
  ])("of %s over gRPC and gRPC-Web, %j", async (path, headers) => {
    const got = await askGrpc(marquee.url, path, { token, body, headers });
    expect(got.code).toBe("13");
    expect({ ...got.headers, ...got.trailers }["grpc-status-details-bin"]).toBeTruthy();
    const trailers = await askGrpcWeb(marquee.url, path, { token, body, headers });
    expect(trailers["grpc-status"]).toBe("13");
  });

  test("of a Connect stream", async () => {
    const response = await fetch(marquee.url + WATCH, {
      method: "POST",
      headers: { "content-type": "application/connect+proto" },
      body: Buffer.from(body),
    });
    const [end] = unframe(Buffer.from(await response.arrayBuffer()));
    expect(JSON.parse(String(end?.data))).toMatchObject({ error: { code: "internal" } });
  });
});

test.each([
  ["", false, false],
  ["text/plain", false, false],
  ["application/json", true, false],
  ["application/json; charset=utf-8", true, false],
  ['Application/JSON ; charset="UTF-8"', true, false],
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
])("the type '%s': for a method %j, for a stream %j, and else 415", async (type, ...takes) => {
  for (const [index, path] of [listEvents, WATCH].entries()) {
    const headers = { ...connectHeaders(token, type), te: "trailers" };
    const request = { ...headers, ":method": "POST", ":path": path };
    const got = await askHttp2(marquee.url, request, frame(new Uint8Array(), 1));
    if (takes[index]) {
      expect([200, 400], path).toContain(got.status);
      continue;
    }
    expect(got.status, path).toBe(415);
    expect(got.json).toMatchObject({
      code: "invalid_argument",
      details: [{ debug: { reason: "UNSUPPORTED_MEDIA_TYPE" } }],
    });
  }
});

test("a method that streams in both directions is 505 over HTTP/1.1, with a word why", async () => {
  const path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
  const type = { "Content-Type": "application/grpc-web", "Content-Length": "0" };
  const got = await askRaw(marquee.url, head(`POST ${path}`, type));
  expect([got.status, JSON.parse(got.text).code]).toEqual([505, "unimplemented"]);
});
