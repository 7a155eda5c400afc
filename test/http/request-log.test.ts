import { describe, expect, test } from "vitest";
import { askGrpc, askHttp2 } from "../harness/ask.ts";
import { connectHeaders, getUrl, PROCEDURES } from "../harness/calls.ts";
import { captureLog } from "../harness/captured-log.ts";
import { holdEvents } from "../harness/held-events.ts";
import { send } from "../harness/http.ts";
import { startOver } from "../harness/marquee.ts";
import { connectRaw, head } from "../harness/raw-socket.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const captured = captureLog();
const marquee = await useMarquee({ log: captured.log });

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const { listEvents } = PROCEDURES;

/** Waits for the line of a request: it is written when the connection is done with it. */
const lineOf = async (requestId: string) => {
  const find = () => captured.lines.filter((line) => line.request_id === requestId);
  await expect.poll(find).toHaveLength(1);
  return find()[0] ?? expect.fail();
};

describe("a request id", () => {
  test.each<[string, string, boolean]>([
    ["a plain one is taken over", "abc-123", true],
    ["a trace id is taken over", "Root=1-67891233:abcdef/012~x_y.z+", true],
    ["128 characters are taken over", "a".repeat(128), true],
    ["129 characters are replaced", "a".repeat(129), false],
    ["an empty one is replaced", "", false],
    ["one with a blank is replaced", "a b", false],
    ["one with a quote is replaced", 'a"b', false],
    ["one with markup is replaced", "<script>", false],
    ["two of them are replaced", "a, b", false],
  ])("%s", async (_, given, isKept) => {
    const got = await send("GET", `${marquee.url}/healthz`, {
      headers: { "x-request-id": given },
    });
    const id = got.headers.get("x-request-id") ?? "";
    if (isKept) expect(id).toBe(given);
    else expect(id).toMatch(UUID);
    await lineOf(id);
  });

  test("is another one for each request", async () => {
    const ids = new Set<string | null>();
    for (let round = 0; round < 10; round += 1) {
      ids.add((await send("GET", `${marquee.url}/healthz`)).headers.get("x-request-id"));
    }
    expect(ids.size).toBe(10);
  });
});

describe("every response has one line in the log, and but for a shared one it carries the id", () => {
  const key = `Bearer ${marquee.keys.public}`;
  const owner = `Bearer ${marquee.tokens.owner}`;
  const connect = connectHeaders(marquee.keys.public);
  const cases: [string, string, number, Record<string, string>, (string | Uint8Array)?][] = [
    ["GET", "/readyz", 200, {}],
    ["GET", getUrl(listEvents, { pageSize: 1 }), 200, { authorization: key }],
    ["POST", listEvents, 200, connect, "{}"],
    ["POST", listEvents, 400, connect, "{"],
    ["POST", listEvents, 400, { ...connect, "connect-protocol-version": "2" }, "{}"],
    ["POST", listEvents, 401, connectHeaders("mqp_nobody"), "{}"],
    ["POST", listEvents, 415, { ...connect, "content-type": "text/plain" }, "{}"],
    ["POST", listEvents, 413, connect, new Uint8Array(1024 * 1024 + 1)],
    ["PUT", listEvents, 405, {}],
    [
      "OPTIONS",
      listEvents,
      204,
      { origin: "https://a.example", "access-control-request-method": "POST" },
    ],
    ["GET", "/monetization/transactions/v1?page_size=1", 200, { authorization: owner }],
    ["GET", "/monetization/transactions/v1?page_size=x", 400, { authorization: owner }],
    ["GET", "/monetization/transactions/v1", 401, {}],
    ["GET", "/nothing", 404, {}],
    ["GET", "/svc.cda.x.v1.Y/Z", 404, {}],
    ["GET", `/${"x".repeat(17 * 1024)}`, 414, {}],
    ["GET", "/healthz", 431, { "x-pad": "x".repeat(17 * 1024) }],
    ["GET", "/healthz", 417, { expect: "nothing" }],
  ];
  for (const [index, [method, path, want, headers, body]] of cases.entries()) {
    for (const version of ["1.1", "2.0"]) {
      test(`case ${index} over HTTP/${version}`, async () => {
        const id = `case-${index}-${version}`;
        const all = { ...headers, "x-request-id": id };
        const got =
          version === "2.0"
            ? await over2(method, path, all, body)
            : await over1(method, path, all, body);
        expect(got.status).toBe(want);
        const isShared = method === "GET" && path.startsWith(listEvents);
        expect(got.id).toBe(isShared ? undefined : id);
        const line = await lineOf(id);
        expect(line).toMatchObject({ msg: "request", method, status: want, http: version });
        expect(line.path).toBe(path.split("?")[0]);
        expect(line.duration_ms).toBeTypeOf("number");
        expect(line.remote).toBe("127.0.0.1");
      });
    }
  }

  test("also over gRPC", async () => {
    for (const [token, want] of [
      [marquee.keys.public, "0"],
      ["mqp_nobody", "16"],
    ] as const) {
      const id = `grpc-${want}`;
      const headers = { "x-request-id": id };
      const got = await askGrpc(marquee.url, listEvents, { token, headers });
      expect([got.code, got.headers["x-request-id"]]).toEqual([want, id]);
      expect(await lineOf(id)).toMatchObject({ status: 200 });
    }
  });

  for (const bytes of [
    "garbage\r\n\r\n",
    `GET / HTTP/1.1\r\nx: ${"x".repeat(64 * 1024)}\r\n\r\n`,
  ]) {
    test(`also where there is no request: ${bytes.slice(0, 10)}`, async () => {
      const raw = await connectRaw(marquee.url);
      raw.write(bytes);
      const got = await raw.response();
      const id = got.headers["x-request-id"] ?? "";
      expect(id).toMatch(UUID);
      expect(await lineOf(id)).toMatchObject({ status: got.status, msg: "malformed HTTP request" });
      raw.destroy();
    });
  }
});

test("a request whose client left has a line that says so", async () => {
  const held = holdEvents(marquee.store);
  const server = await startOver(held.store, { log: captured.log });
  const raw = await connectRaw(server.studioUrl);
  const headers = { Authorization: `Bearer ${marquee.keys.public}`, "X-Request-Id": "left-1" };
  raw.write(head(`GET ${getUrl(listEvents, {})}`, headers));
  await held.arrived(1);
  raw.destroy();
  expect(await lineOf("left-1")).toMatchObject({ status: 499, complete: false });
  held.release();
  await server.close(1_000);
});

test("the log holds no credentials, no query, and no error of these tests", () => {
  const text = captured.lines.map((line) => JSON.stringify(line)).join("\n");
  for (const secret of [...Object.values(marquee.tokens), ...Object.values(marquee.keys)]) {
    expect(text).not.toContain(secret);
  }
  for (const word of ["Bearer", "authorization", "encoding=json", "page_size", "pageSize"]) {
    expect(text).not.toContain(word);
  }
  expect(captured.lines.filter(({ level }) => Number(level) > 30)).toEqual([]);
});

async function over1(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string | Uint8Array,
) {
  const raw = await connectRaw(marquee.url);
  const length = { "Content-Length": String(Buffer.from(body ?? "").length) };
  raw.write(head(`${method} ${path}`, { ...headers, ...(body !== undefined && length) }));
  if (body !== undefined) raw.write(body);
  const got = await raw.response({ bodyless: method === "OPTIONS" });
  raw.destroy();
  return { status: got.status, id: got.headers["x-request-id"] };
}

async function over2(
  method: string,
  path: string,
  headers: Record<string, string>,
  body?: string | Uint8Array,
) {
  const request = { ":method": method, ":path": path, ...headers };
  const got = await askHttp2(marquee.url, request, body);
  return { status: got.status, id: got.headers["x-request-id"] };
}
