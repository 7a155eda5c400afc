import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectHeaders, PROCEDURES } from "../../harness/calls.ts";
import { frame, webTrailers } from "../../harness/grpc-frame.ts";
import { reasonOf, send } from "../../harness/http.ts";
import { connectHttp2, requestHttp2 } from "../../harness/http2.ts";
import { type Marquee, startMarquee } from "../../harness/marquee.ts";
import { chunked, connectRaw, head } from "../../harness/raw-socket.ts";

let marquee: Marquee;
beforeAll(async () => {
  marquee = await startMarquee();
});
afterAll(() => marquee.close());

const MiB = 1024 * 1024;
const KiB = 1024;

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

interface BodyCase {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly limit: number;
  readonly headers: () => Record<string, string>;
  readonly body: (size: number) => Buffer;
}

const RENAME = '{"page_component_update":{"name":"Welcome"},"update_mask":"name"}';

const cases: BodyCase[] = [
  {
    name: "delivery, Connect JSON",
    method: "POST",
    path: PROCEDURES.listEvents,
    limit: MiB,
    headers: () => connectHeaders(marquee.keys.public),
    body: json,
  },
  {
    name: "delivery, Connect binary",
    method: "POST",
    path: PROCEDURES.listEvents,
    limit: MiB,
    headers: () => connectHeaders(marquee.keys.public, "application/proto"),
    body: (size) => proto(size),
  },
  {
    name: "management, Connect JSON",
    method: "POST",
    path: PROCEDURES.listTransactions,
    limit: 4 * MiB,
    headers: () => connectHeaders(marquee.tokens.owner),
    body: json,
  },
  {
    name: "management, REST",
    method: "PATCH",
    path: "/ott/page_components/v2/banner-home",
    limit: 4 * MiB,
    headers: () => ({
      authorization: `Bearer ${marquee.tokens.owner}`,
      "content-type": "application/json",
    }),
    body: (size) => json(size, RENAME),
  },
];

describe("a request body", () => {
  for (const { name, method, path, limit, headers, body } of cases) {
    for (const [size, want] of [
      [limit, 200],
      [limit + 1, 413],
    ] as const) {
      const title = `${name}: ${size - limit === 0 ? "at the limit" : "one byte past it"}`;

      for (const form of ["Content-Length", "chunked"]) {
        test(`${title}, ${form}`, async () => {
          const bytes = body(size);
          const raw = await connectRaw(marquee.url);
          const framing =
            form === "chunked"
              ? { "Transfer-Encoding": "chunked" }
              : { "Content-Length": String(bytes.length) };
          raw.write(head(`${method} ${path}`, { ...headers(), ...framing }));
          raw.write(form === "chunked" ? chunked(bytes) : bytes);
          const got = await raw.answer();
          expect(got.status).toBe(want);
          if (want === 413) expectTooLarge(JSON.parse(got.text), path);
          raw.destroy();
        });
      }

      for (const encoding of ["identity", "gzip"]) {
        test(`${title}, HTTP/2, ${encoding}`, async () => {
          const session = await connectHttp2(marquee.url);
          const bytes = encoding === "gzip" ? gzipSync(body(size)) : body(size);
          const got = await requestHttp2(
            session,
            { ":method": method, ":path": path, ...headers(), "content-encoding": encoding },
            bytes,
          );
          expect(got.status).toBe(want);
          if (want === 413) expectTooLarge(got.json, path);
          session.close();
        });
      }
    }

    test(`${name}: a gzip bomb of 256 MiB is 413 and takes little memory`, async () => {
      const before = process.memoryUsage().rss;
      const got = await send(method, marquee.url + path, {
        headers: { ...headers(), "content-encoding": "gzip" },
        body: BOMB,
      });
      expect(got.status).toBe(413);
      expect(process.memoryUsage().rss - before).toBeLessThan(192 * MiB);
    });
  }

  const grpc = [
    ["delivery", PROCEDURES.listEvents, MiB, () => marquee.keys.public],
    ["management", PROCEDURES.listTransactions, 4 * MiB, () => marquee.tokens.owner],
  ] as const;
  for (const [name, path, limit, token] of grpc) {
    for (const [size, want] of [
      [limit, "0"],
      [limit + 1, "8"],
    ] as const) {
      for (const encoding of ["identity", "gzip"]) {
        const title = `${name}, ${size - limit === 0 ? "at the limit" : "past it"}, ${encoding}`;
        const message = () =>
          encoding === "gzip" ? frame(gzipSync(proto(size)), 1) : frame(proto(size));
        const headers = (type: string) => ({
          authorization: `Bearer ${token()}`,
          "content-type": type,
          "grpc-encoding": encoding,
        });

        test(`gRPC: ${title}`, async () => {
          const session = await connectHttp2(marquee.url);
          const got = await requestHttp2(
            session,
            { ":method": "POST", ":path": path, te: "trailers", ...headers("application/grpc") },
            message(),
          );
          expect(got.status).toBe(200);
          expect(got.trailers["grpc-status"]).toBe(want);
          session.close();
        });

        test(`gRPC-Web: ${title}`, async () => {
          const response = await fetch(marquee.url + path, {
            method: "POST",
            headers: headers("application/grpc-web"),
            body: Buffer.from(message()),
          });
          expect(response.status).toBe(200);
          const trailers = webTrailers(Buffer.from(await response.arrayBuffer()));
          expect(trailers["grpc-status"]).toBe(want);
        });
      }
    }
  }

  test("a gzip bomb in a Connect GET is refused", async () => {
    const message = gzipSync(Buffer.alloc(8 * MiB, " ")).toString("base64url");
    const query = `encoding=json&base64=1&compression=gzip&message=${message}`;
    const got = await send("GET", `${marquee.url}${PROCEDURES.listEvents}?${query}`, {
      token: marquee.keys.public,
    });
    expect(got.status).toBe(413);
    expectTooLarge(got.json, PROCEDURES.listEvents);
  });

  test("ten bodies of 4 MiB at once on one HTTP/2 connection are all read", async () => {
    const session = await connectHttp2(marquee.url);
    const headers = {
      ":method": "PATCH",
      ":path": "/ott/page_components/v2/banner-home",
      authorization: `Bearer ${marquee.tokens.owner}`,
    };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => requestHttp2(session, headers, json(4 * MiB, RENAME))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    session.close();
  });

  test("an encoding that is not known names those that are: 501 by Connect, 415 by REST", async () => {
    for (const { method, path, headers } of cases) {
      const got = await send(method, marquee.url + path, {
        headers: { ...headers(), "content-encoding": "zstd" },
        body: "{}",
      });
      expect(got.status).toBe(path.startsWith("/svc") ? 501 : 415);
      expect(got.json.code).toBe(path.startsWith("/svc") ? "unimplemented" : 12);
      expect(got.json.message).toContain("gzip, br and identity");
      expect(got.headers.get("accept-encoding")).toBe("gzip, br");
      expect(reasonOf(got)).toBe("CONTENT_ENCODING_UNSUPPORTED");
    }
  });
});

function expectTooLarge(body: unknown, path: string): void {
  expect(body).toMatchObject({ code: path.startsWith("/svc") ? "resource_exhausted" : 8 });
  expect(JSON.stringify(body)).toContain("BODY_TOO_LARGE");
}

describe("an address", () => {
  const url = (size: number) => `/healthz?${"a".repeat(size - "/healthz?".length)}`;
  for (const [size, want] of [
    [16 * KiB, 200],
    [16 * KiB + 1, 414],
    [40 * KiB, 414],
  ] as const) {
    test(`of ${size} bytes is ${want} over HTTP/1.1`, async () => {
      const raw = await connectRaw(marquee.url);
      raw.write(head(`GET ${url(size)}`));
      const got = await raw.answer();
      expect(got.status).toBe(want);
      if (want === 414) expect(JSON.parse(got.text)).toMatchObject({ code: 8 });
      raw.destroy();
    });

    test(`of ${size} bytes is ${want} over HTTP/2`, async () => {
      const session = await connectHttp2(marquee.url);
      expect((await requestHttp2(session, { ":path": url(size) })).status).toBe(want);
      session.close();
    });
  }
});

describe("headers", () => {
  const padding = (size: number) => "a".repeat(size - "Hostlocalhostx-pad".length);
  for (const [size, want] of [
    [16 * KiB, 200],
    [16 * KiB + 1, 431],
    [20 * KiB, 431],
    [1024 * KiB, 431],
  ] as const) {
    test(`of ${size} bytes are ${want} over HTTP/1.1`, async () => {
      const raw = await connectRaw(marquee.url);
      raw.write(head("GET /healthz", { "x-pad": padding(size) }));
      const got = await raw.answer();
      expect(got.status).toBe(want);
      expect(got.headers["x-request-id"]).toBeTruthy();
      if (want === 431) expect(JSON.parse(got.text)).toMatchObject({ code: 8 });
      raw.destroy();
    });
  }

  for (const [size, want] of [
    [16 * KiB, 200],
    [16 * KiB + 1, 431],
    [20 * KiB, 431],
  ] as const) {
    test(`of ${size} bytes are ${want} over HTTP/2`, async () => {
      const session = await connectHttp2(marquee.url);
      const headers = { ":path": "/healthz", "x-pad": "a".repeat(size - "x-pad".length) };
      expect((await requestHttp2(session, headers)).status).toBe(want);
      session.close();
    });
  }
});
