import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { askGrpc, askGrpcWeb, askHttp2, askRaw } from "../../harness/ask.ts";
import { connectHeaders, PROCEDURES } from "../../harness/calls.ts";
import { frame } from "../../harness/grpc-frame.ts";
import { rejection, send } from "../../harness/http.ts";
import { connectHttp2, requestHttp2 } from "../../harness/http2.ts";
import { chunked, head } from "../../harness/raw-socket.ts";
import { useMarquee } from "../../harness/use-marquee.ts";

const marquee = await useMarquee();
const token = marquee.keys.public;
const owner = marquee.tokens.owner;

const KiB = 1024;
const MiB = 1024 * KiB;
const { listEvents, listTransactions } = PROCEDURES;
const COMPONENT = "/ott/page_components/v2/banner-home";
const RENAME = '{"page_component_update":{"name":"Welcome"},"update_mask":"name"}';
const STUDIO = { authorization: `Bearer ${owner}`, "content-type": "application/json" };

/** 256 MiB of blanks in 16 members, which are as quickly compressed as one of them. */
const BOMB = Buffer.concat(Array(16).fill(gzipSync(Buffer.alloc(16 * MiB, " "))));

/** JSON of a size: blanks around a message change nothing. */
const json = (size: number, message = "{}") =>
  Buffer.concat([Buffer.from(message), Buffer.alloc(size - message.length, " ")]);

/** A binary message of a size: a field that nobody knows is skipped. */
function proto(size: number): Buffer {
  const length = size - 5;
  const varint = [0, 7, 14].map((shift) => ((length >> shift) & 0x7f) | 0x80);
  return Buffer.concat([Buffer.from([0x7a, ...varint, length >> 21]), Buffer.alloc(length)]);
}

const BINARY = connectHeaders(token, "application/proto");
const BODIES = [
  ["delivery, JSON", `POST ${listEvents}`, MiB, connectHeaders(token), json],
  ["delivery, binary", `POST ${listEvents}`, MiB, BINARY, proto],
  ["Studio API, Connect", `POST ${listTransactions}`, 4 * MiB, connectHeaders(owner), json],
  ["REST", `PATCH ${COMPONENT}`, 4 * MiB, STUDIO, (size: number) => json(size, RENAME)],
] as const;

describe.each(BODIES)("a request body: %s, %s, up to %i bytes", (_, line, limit, headers, body) => {
  const [method = "", path = ""] = line.split(" ");
  const isConnect = path.startsWith("/svc");
  const expectTooLarge = (got: unknown) => {
    expect(got).toMatchObject({ code: isConnect ? "resource_exhausted" : 8 });
    expect(JSON.stringify(got)).toContain("BODY_TOO_LARGE");
  };

  describe.each([
    ["at the limit", limit, 200],
    ["one byte past it", limit + 1, 413],
  ])("%s", (_name, size, want) => {
    const bytes = body(size);

    test.each(["Content-Length", "Transfer-Encoding"])("over HTTP/1.1, by %s", async (form) => {
      const isChunked = form === "Transfer-Encoding";
      const framing = { [form]: isChunked ? "chunked" : String(bytes.length) };
      const lines = head(line, { ...headers, ...framing });
      const got = await askRaw(marquee.url, lines, isChunked ? chunked(bytes) : bytes);
      expect(got.status).toBe(want);
      if (want === 413) expectTooLarge(JSON.parse(got.text));
    });

    test.each(["identity", "gzip"])("over HTTP/2, in %s", async (encoding) => {
      const request = { ":method": method, ":path": path, "content-encoding": encoding };
      const sent = encoding === "gzip" ? gzipSync(bytes) : bytes;
      const got = await askHttp2(marquee.url, { ...request, ...headers }, sent);
      expect(got.status).toBe(want);
      if (want === 413) expectTooLarge(got.json);
    });
  });

  test("a gzip bomb of 256 MiB is 413 and takes little memory", async () => {
    const before = process.memoryUsage().rss;
    const request = { headers: { ...headers, "content-encoding": "gzip" }, body: BOMB };
    expect((await send(method, marquee.url + path, request)).status).toBe(413);
    expect(process.memoryUsage().rss - before).toBeLessThan(192 * MiB);
  });

  test("an unknown encoding names those that are: 501 by Connect, 415 by REST", async () => {
    const request = { headers: { ...headers, "content-encoding": "zstd" }, body: "{}" };
    const got = await send(method, marquee.url + path, request);
    expect(rejection(got)).toEqual([isConnect ? 501 : 415, "CONTENT_ENCODING_UNSUPPORTED"]);
    expect(got.json.code).toBe(isConnect ? "unimplemented" : 12);
    expect(got.json.message).toContain("gzip, br and identity");
    expect(got.headers.get("accept-encoding")).toBe("gzip, br");
  });
});

test("a gzip bomb in a Connect GET is rejected", async () => {
  const message = gzipSync(Buffer.alloc(8 * MiB, " ")).toString("base64url");
  const query = `encoding=json&base64=1&compression=gzip&message=${message}`;
  const got = await send("GET", `${marquee.url}${listEvents}?${query}`, { token });
  expect(rejection(got)).toEqual([413, "BODY_TOO_LARGE"]);
  expect(got.json.code).toBe("resource_exhausted");
});

test("five bodies of 4 MiB at once on one HTTP/2 connection are all read", async () => {
  const session = await connectHttp2(marquee.url);
  const headers = { ":method": "PATCH", ":path": COMPONENT, ...STUDIO };
  const responses = await Promise.all(
    Array.from({ length: 5 }, () => requestHttp2(session, headers, json(4 * MiB, RENAME))),
  );
  expect(responses.map(({ status }) => status)).toEqual(Array(5).fill(200));
  session.close();
});

describe.each([
  ["delivery, at the limit", listEvents, token, MiB, "0"],
  ["delivery, one byte past it", listEvents, token, MiB + 1, "8"],
  ["Studio API, at the limit", listTransactions, owner, 4 * MiB, "0"],
  ["Studio API, one byte past it", listTransactions, owner, 4 * MiB + 1, "8"],
])("a message of gRPC: %s", (_, path, credential, size, want) => {
  test.each(["identity", "gzip"])("in %s, also over gRPC-Web", async (encoding) => {
    const body = encoding === "gzip" ? frame(gzipSync(proto(size)), 1) : frame(proto(size));
    const call = { token: credential, headers: { "grpc-encoding": encoding }, body };
    const got = await askGrpc(marquee.url, path, call);
    expect([got.status, got.trailers["grpc-status"]]).toEqual([200, want]);
    expect((await askGrpcWeb(marquee.url, path, call))["grpc-status"]).toBe(want);
  });
});

test.each([
  [16 * KiB, 200],
  [16 * KiB + 1, 414],
  [40 * KiB, 414],
])("a URL of %i bytes is %i", async (size, want) => {
  const url = `/healthz?${"a".repeat(size - "/healthz?".length)}`;
  const got = await askRaw(marquee.url, head(`GET ${url}`));
  expect(got.status).toBe(want);
  if (want === 414) expect(JSON.parse(got.text)).toMatchObject({ code: 8 });
  expect((await askHttp2(marquee.url, { ":path": url })).status).toBe(want);
});

test.each([
  [16 * KiB, 200],
  [16 * KiB + 1, 431],
  [20 * KiB, 431],
  [1024 * KiB, 431],
])("headers of %i bytes are %i", async (size, want) => {
  const pad = (names: string) => ({ "x-pad": "a".repeat(size - names.length) });
  const got = await askRaw(marquee.url, head("GET /healthz", pad("Hostlocalhostx-pad")));
  expect(got.status).toBe(want);
  expect(got.headers["x-request-id"]).toBeTruthy();
  if (want === 431) expect(JSON.parse(got.text)).toMatchObject({ code: 8 });
  // Node's client sends no block of headers that is larger than a frame may be.
  if (size > 20 * KiB) return;
  const over2 = await askHttp2(marquee.url, { ":path": "/healthz", ...pad("x-pad") });
  expect(over2.status).toBe(want);
});
