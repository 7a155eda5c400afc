import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Event } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import type { DeliveryCall } from "../../../src/api/steps/delivery-call.ts";
import { getUrl, PROCEDURES } from "../../harness/calls.ts";
import { openDatabase } from "../../harness/database.ts";
import { reasonOf, send } from "../../harness/http.ts";
import { connectHttp2, requestHttp2 } from "../../harness/http2.ts";
import { startMarquee } from "../../harness/marquee.ts";
import { connectRaw, head } from "../../harness/raw-socket.ts";
import { type ReadService, startReadService } from "../../harness/read-service.ts";
import { useMarquee } from "../../harness/use-marquee.ts";

const marquee = await useMarquee();

/** Answers with the project that asks. */
const listEvents = vi.fn((_request: unknown, call: DeliveryCall) => ({
  events: [{ id: idOf(call) } as Event],
}));
const idOf = ({ key }: DeliveryCall) => `${key.projectId} by its ${key.kind} key`;

let service: ReadService;
beforeEach(async () => {
  listEvents.mockClear();
  service = await startReadService(marquee, { listEvents });
  // Twice: the first fills the cache, the second is the first hit.
  for (let time = 0; time < 2; time += 1) await service.list();
});
afterEach(() => service.close());

const lineOf = (requestId: string | null) =>
  vi.waitFor(() => {
    const found = service.captured.lines.filter((line) => line.request_id === requestId);
    expect(found).toHaveLength(1);
    return found[0];
  });

describe("a cached response", () => {
  test("has a line in the log with an id of its own each time, which it does not carry", async () => {
    const ids = new Set<unknown>();
    for (let time = 0; time < 5; time += 1) {
      service.captured.lines.length = 0;
      const { headers, status } = await service.list();
      expect(headers.get("x-request-id")).toBeNull();
      await vi.waitFor(() => expect(service.captured.lines).toHaveLength(1));
      const [line] = service.captured.lines;
      ids.add(line?.request_id);
      expect(line).toMatchObject({
        msg: "request",
        method: "GET",
        path: PROCEDURES.listEvents,
        status,
        complete: true,
        duration_ms: expect.any(Number),
        http: "1.1",
        remote: "127.0.0.1",
      });
    }
    expect(ids.size).toBe(5);
    expect(listEvents).toHaveBeenCalledTimes(1);
  });

  test("takes over the request's id into the log, but no bad one", async () => {
    await service.list({}, { headers: { "x-request-id": "mine-1" } });
    await lineOf("mine-1");
    await service.list({}, { headers: { "x-request-id": "a b" } });
    const ids = service.captured.lines.map((line) => line.request_id);
    expect(ids.at(-1)).toMatch(/^[0-9a-f-]{36}$/);
    expect(listEvents).toHaveBeenCalledTimes(1);
  });

  test("has the same headers as the first, but for those of the request", async () => {
    const toList = (headers: Headers) =>
      [...headers].filter(([name]) => !["x-request-id", "date"].includes(name));
    const fresh = await service.list({ pageSize: 7 });
    const hot = await service.list({ pageSize: 7 });
    expect(toList(hot.headers)).toEqual(toList(fresh.headers));
    expect(hot.headers.get("access-control-allow-origin")).toBe("*");
    expect(hot.text).toBe(fresh.text);
    expect(listEvents).toHaveBeenCalledTimes(2);
  });

  test("has one line in the log also where it is 304", async () => {
    const etag = (await service.list()).headers.get("etag") ?? "";
    const headers = { "if-none-match": etag, "x-request-id": "known-1" };
    expect((await service.list({}, { headers })).status).toBe(304);
    expect(await lineOf("known-1")).toMatchObject({ status: 304, complete: true });
  });
});

describe("a cached response is nobody else's", () => {
  test("each project and kind of key gets its own, in whatever order they ask", async () => {
    const { keys } = marquee;
    const asks = [keys.public, keys.sandbox, keys.preview, keys.public, keys.preview, keys.sandbox];
    const got: string[] = [];
    for (const token of [...asks, ...asks, ...asks]) {
      got.push((await service.list({}, { token })).json.events[0].id);
    }
    const wanted = new Map([
      [keys.public, "worldcup by its public key"],
      [keys.sandbox, "sandbox by its public key"],
      [keys.preview, "worldcup by its preview key"],
    ]);
    expect(got).toEqual([...asks, ...asks, ...asks].map((token) => wanted.get(token)));
  });

  test("no header in place of the key gets it", async () => {
    const { keys, tokens } = marquee;
    for (const authorization of [
      undefined,
      "",
      "Bearer",
      keys.public,
      `Basic ${keys.public}`,
      `Bearer ${keys.public}x`,
      `Bearer ${keys.public.slice(0, -1)}`,
      `Bearer ${keys.public}, Bearer ${keys.public}`,
      `Bearer ${tokens.owner}`,
      "Bearer mqp_unknown",
    ]) {
      const url = service.url + getUrl(PROCEDURES.listEvents, {});
      const got = await send("GET", url, {
        headers: authorization === undefined ? {} : { authorization },
      });
      expect([authorization, got.status]).toEqual([authorization, 401]);
      expect(got.headers.get("cache-control")).toBe("no-store");
    }
  });

  test("no two messages share one, however they are cut", async () => {
    const ids = ["a", "a\n", "a\nb", 'a"', "a\\n"];
    const seen = vi.fn(({ id }: { id: string }) => ({ event: { id } as Event }));
    const other = await startReadService(marquee, { getEvent: seen });
    for (const id of [...ids, ...ids]) {
      const url = `${other.url}${getUrl("/svc.cda.cms.event.v1.EventService/GetEvent", { id })}`;
      const got = await send("GET", url, { token: marquee.keys.public });
      expect(got.json.event.id).toBe(id);
    }
    expect(seen).toHaveBeenCalledTimes(ids.length);
    await other.close();
  });

  test("a key that was taken away gets nothing more, whose project has a cached response", async () => {
    const token = marquee.keys.sandbox;
    for (let time = 0; time < 3; time += 1) {
      expect((await service.list({}, { token })).status).toBe(200);
    }
    const database = openDatabase(marquee.address);
    const { numDeletedRows } = await database
      .deleteFrom("project_key")
      .where("project_id", "=", "sandbox")
      .executeTakeFirstOrThrow();
    // As every deletion of a key does.
    await database
      .updateTable("project")
      .set(({ eb }) => ({ change_count: eb("change_count", "+", 1) }))
      .where("id", "=", "sandbox")
      .execute();
    expect(Number(numDeletedRows)).toBeGreaterThan(0);
    await database.destroy();
    await vi.waitFor(async () => expect((await service.list({}, { token })).status).toBe(401), {
      timeout: 1_000,
      interval: 10,
    });
    expect(reasonOf(await service.list({}, { token }))).toBe("CREDENTIALS_INVALID");
    expect((await service.list()).status).toBe(200);
  });

  test("a listener of management alone does not give it", async () => {
    const split = await startMarquee({ deliveryListen: { host: "127.0.0.1", port: 0 } });
    const path = getUrl(PROCEDURES.listEvents, {});
    const ask = (url: string) => send("GET", url + path, { token: split.keys.public });
    for (let time = 0; time < 3; time += 1) {
      expect((await ask(split.server.deliveryUrl)).status).toBe(200);
      expect((await ask(split.server.studioUrl)).status).toBe(404);
    }
    await split.close();
  });
});

describe("every limit stands before a cached response", () => {
  const path = getUrl(PROCEDURES.listEvents, {});
  const ask = async (line: string, headers: Record<string, string>) => {
    const raw = await connectRaw(service.url);
    const authorization = `Bearer ${marquee.keys.public}`;
    raw.write(head(line, { authorization, "accept-encoding": "identity", ...headers }));
    const { status } = await raw.answer({ bodyless: line.startsWith("HEAD") });
    raw.destroy();
    return status;
  };

  const cases: readonly (readonly [string, string, Record<string, string>, number])[] = [
    ["the plain request", `GET ${path}`, {}, 200],
    ["headers over the limit", `GET ${path}`, { "x-pad": "x".repeat(16 * 1024) }, 431],
    ["a bad host", `GET ${path}`, { Host: "a|b" }, 400],
    ["a port that there is not", `GET ${path}`, { Host: "a:99999" }, 400],
    ["no host", `GET ${path}`, { Host: "" }, 400],
    ["an expectation", `GET ${path}`, { expect: "nothing" }, 417],
    ["HEAD", `HEAD ${path}`, {}, 405],
    ["PUT", `PUT ${path}`, {}, 405],
    ["DELETE", `DELETE ${path}`, {}, 405],
    ["another path with the same query", `GET /x${path}`, {}, 404],
    ["the path without the query", `GET ${PROCEDURES.listEvents}`, {}, 400],
  ];
  for (const [name, line, headers, want] of cases) {
    test(`${name} is ${want}`, async () => {
      expect(await ask(line, headers)).toBe(want);
      expect(await ask(`GET ${path}`, {})).toBe(200);
      expect(listEvents).toHaveBeenCalledTimes(1);
    });
  }

  test("a second host is refused", async () => {
    const raw = await connectRaw(service.url);
    raw.write(
      `GET ${path} HTTP/1.1\r\nHost: a\r\nHost: a\r\nAuthorization: Bearer ${marquee.keys.public}\r\n\r\n`,
    );
    expect((await raw.answer()).status).toBe(400);
    raw.destroy();
  });

  test("a body is read past, and the next request is understood", async () => {
    const raw = await connectRaw(service.url);
    const headers = { authorization: `Bearer ${marquee.keys.public}` };
    raw.write(`${head(`GET ${path}`, { ...headers, "Content-Length": "5" })}hello`);
    raw.write(head(`GET ${path}`, headers));
    expect((await raw.answer()).status).toBe(200);
    expect((await raw.answer()).status).toBe(200);
    raw.destroy();
  });

  test.each([
    ["Content-Length", "5", "hell"],
    ["Transfer-Encoding", "chunked", "4\r\nhell\r\n"],
  ] as const)(
    "a body that does not end keeps the answer back from nobody, and its connection is closed: %s",
    async (name, value, part) => {
      const raw = await connectRaw(service.url);
      const headers = { authorization: `Bearer ${marquee.keys.public}`, [name]: value };
      raw.write(head(`GET ${path}`, headers) + part);
      const got = await raw.answer();
      expect([got.status, got.headers.connection]).toEqual([200, "close"]);
      raw.write(name === "Content-Length" ? "o" : "0\r\n\r\n");
      raw.write(head(`GET ${path}`, headers));
      expect(await raw.closed()).toBe("");
    },
  );

  test("garbage behind it is refused after it", async () => {
    const raw = await connectRaw(service.url);
    const authorization = `Bearer ${marquee.keys.public}`;
    raw.write(`${head(`GET ${path}`, { authorization })}garbage\r\n\r\n`);
    expect((await raw.answer()).status).toBe(200);
    expect(await raw.closed()).toMatch(/^(HTTP\/1.1 400 |$)/);
  });

  test("many at once on one connection come in their order", async () => {
    const raw = await connectRaw(service.url);
    const authorization = `Bearer ${marquee.keys.public}`;
    listEvents.mockImplementation((request) => ({
      events: [{ id: `page of ${(request as { pageSize: number }).pageSize}` } as Event],
    }));
    const line = (query: string) => head(`GET ${query}`, { authorization });
    const fresh = (id: number) => getUrl(PROCEDURES.listEvents, { pageSize: id + 1 });
    raw.write(
      Array.from({ length: 40 }, (_, id) => line(id % 2 === 0 ? path : fresh(id))).join(""),
    );
    for (let id = 0; id < 40; id += 1) {
      const got = await raw.answer();
      const want = id % 2 === 0 ? "worldcup by its public key" : `page of ${id + 1}`;
      expect([got.status, JSON.parse(got.text).events[0].id]).toEqual([200, want]);
    }
    raw.destroy();
    listEvents.mockReset();
  });
});

test("over HTTP/2 the same answer is given, from the same entry", async () => {
  const session = await connectHttp2(service.url);
  const want = await service.list();
  for (let time = 0; time < 2; time += 1) {
    const got = await requestHttp2(session, {
      ":path": getUrl(PROCEDURES.listEvents, {}),
      authorization: `Bearer ${marquee.keys.public}`,
    });
    expect([got.status, got.text, got.headers.etag]).toEqual([
      200,
      want.text,
      want.headers.get("etag"),
    ]);
  }
  expect(listEvents).toHaveBeenCalledTimes(1);
  session.close();
});
