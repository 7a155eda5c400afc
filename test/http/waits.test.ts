import { get } from "node:http";
import { describe, expect, test } from "vitest";
import { parseState } from "../../src/http/listener/wait-request.ts";
import { fuzzHops } from "../../tools/fuzz/hops.ts";
import { getUrl, PROCEDURES } from "../harness/calls.ts";
import { ENGINE, openFresh } from "../harness/fresh-store.ts";
import { type HttpResponse, reasonOf, send } from "../harness/http.ts";
import { startMarquee, startOver } from "../harness/marquee.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const GET_EVENT = "/svc.cda.cms.event.v1.EventService/GetEvent";
const EVENT = "match-2026-104";

const marquee = await useMarquee();

/** The URL of a read by the public key. */
const keyed = (message: object = { id: EVENT }, procedure = GET_EVENT, of = marquee) =>
  `${of.url}${getUrl(procedure, message)}&key=${of.keys.public}`;

const stateOf = ({ headers }: HttpResponse) => headers.get("marquee-state") ?? "";
const cacheOf = ({ headers }: HttpResponse) => headers.get("cache-control");
const scoreOf = ({ json }: HttpResponse) => json.event?.fields?.score?.home;

/** Reads with a wait, and measures it in milliseconds. */
async function wait(url: string, after: string, seconds: number, headers = {}) {
  const start = performance.now();
  const got = await send("GET", `${url}&after=${after}&wait=${seconds}`, { headers });
  return { got, ms: performance.now() - start };
}

/** Writes the score of an event. */
async function score(home: number, id = EVENT, of = marquee): Promise<void> {
  const { status, text } = await send("PATCH", `${of.url}/cms/events/v1/${id}`, {
    token: of.tokens.owner,
    headers: { "x-project-id": "worldcup" },
    body: { event: { fields: { score: { home } } }, update_mask: "fields" },
  });
  expect([status, text]).toEqual([200, expect.anything()]);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function metric(name: string, of = marquee): Promise<number> {
  const { text } = await send("GET", `${of.url}/metrics`);
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
}

describe("a GET that waits", () => {
  test("returns at once if the state is another than the caller's", async () => {
    await score(0);
    const before = await send("GET", keyed());
    await score(1);
    const { got, ms } = await wait(keyed(), stateOf(before), 10);
    expect([got.status, scoreOf(got), ms < 900]).toEqual([200, 1, true]);
    expect(cacheOf(got)).toBe("public, s-maxage=5, stale-while-revalidate=0");
    expect(stateOf(got)).not.toBe(stateOf(before));
  });

  test("may be sent by a web page with a header that a preflight asks for", async () => {
    const headers = {
      ...{ origin: "https://app.example", "access-control-request-method": "GET" },
      "access-control-request-headers": "x-request-id",
    };
    const url = `${keyed()}&after=${"a".repeat(16)}.1&wait=5`;
    const preflight = await send("OPTIONS", url, { headers });
    expect([preflight.status, preflight.text]).toEqual([204, ""]);
    expect(preflight.headers.get("access-control-allow-headers")).toContain("X-Request-Id");
  });

  test("17: returns soon after the write", async () => {
    const before = await send("GET", keyed());
    const waiting = wait(keyed(), stateOf(before), 10);
    await expect.poll(() => metric("marquee_waiting_requests")).toBe(1);
    expect(await metric("marquee_requests_in_progress")).toBe(0);
    await score(2);
    const written = performance.now();
    const { got } = await waiting;
    expect([scoreOf(got), performance.now() - written < 1_500]).toEqual([2, true]);
    expect(got.headers.get("surrogate-key")).toBe(before.headers.get("surrogate-key"));
    expect(await metric('marquee_waits_total\\{result="news"\\}')).toBeGreaterThan(0);
  });

  test("waits for a HEAD, too, whose headers are those of the news", async () => {
    const before = await send("GET", keyed());
    const waiting = send("HEAD", `${keyed()}&after=${stateOf(before)}&wait=10`);
    await expect.poll(() => metric("marquee_waiting_requests")).toBe(1);
    await score(3);
    const got = await waiting;
    expect([got.status, got.text, stateOf(got)]).toEqual([
      200,
      "",
      stateOf(await send("GET", keyed())),
    ]);
    expect(stateOf(got)).not.toBe(stateOf(before));
  });

  test("is an ordinary read: it shares its cached response, and gets 304", async () => {
    const before = await send("GET", keyed());
    const misses = () => metric('marquee_cache_reads_total\\{result="miss"\\}');
    const count = await misses();
    const { got } = await wait(keyed(), stateOf(before), 1, {
      "if-none-match": before.headers.get("etag") ?? "",
    });
    expect([got.status, stateOf(got)]).toEqual([304, stateOf(before)]);
    expect(await misses()).toBe(count);
  });
});

describe("a wait", () => {
  test("18: has the same state in all codings and processes, also in one that is behind", async () => {
    const second = await marquee.openAnother();
    const server = await startOver(second, { limits: { cacheMib: 8 } });
    const both = [marquee.url, server.deliveryUrl];
    const codings = ["identity", "gzip", "br"];
    const list = getUrl(PROCEDURES.listEvents, { filter: `id: ${EVENT}` });
    const key = `&key=${marquee.keys.public}`;
    const readAll = () =>
      Promise.all(
        both.flatMap((url) =>
          codings.map((coding) =>
            send("GET", url + list + key, { headers: { "accept-encoding": coding } }),
          ),
        ),
      );
    let after = stateOf(await send("GET", both[0] + list + key));
    for (let home = 10; home < 13; home += 1) {
      await score(home);
      // The second process has not looked for changes yet: it must not take its old state for news.
      const newest = stateOf(await send("GET", both[0] + list + key));
      const { got } = await wait(both[1] + list + key, newest, 1);
      expect([home, got.json.events[0].fields.score.home]).toEqual([home, home]);
      const [first, other] = [1, 0].map((at) => wait(both[at] + list + key, after, 5));
      const news = [await first, await other].map((it) => it?.got.json.events[0].fields.score.home);
      expect(news).toEqual([home, home]);
      after = stateOf((await other)?.got as HttpResponse);
    }
    const hashes = (await readAll()).map((got) => parseState(stateOf(got))?.hash);
    expect(new Set(hashes)).toEqual(new Set([parseState(after)?.hash]));
    const waits = codings.map((coding) =>
      wait(both[1] + list + key, after, 1, { "accept-encoding": coding }),
    );
    for (const { got } of await Promise.all(waits)) expect(cacheOf(got)).toContain("s-maxage=1,");
    await server.close(100);
    await second.close();
  });

  test("18: gets no older state where a response is newer than the changes that its process knows", async () => {
    const second = await marquee.openAnother();
    const server = await startOver(second, { limits: { cacheMib: 8 } });
    const url = keyed().replace(marquee.url, server.deliveryUrl);
    const read = (coding: string) => send("GET", url, { headers: { "accept-encoding": coding } });
    await score(19);
    for (let home = 20; home < 22; home += 1) {
      const old = await read("gzip");
      await score(home);
      // No coding that was read before: this response is not cached.
      const got = await read(`none-${home}`);
      const after = await wait(url, stateOf(got), 1, { "accept-encoding": "gzip" });
      expect([scoreOf(old), scoreOf(got), scoreOf(after.got)]).toEqual([home - 1, home, home]);
    }
    await server.close(100);
    await second.close();
  });

  test("18: of a state that is ahead of every process gets the newest one", async () => {
    const now = stateOf(await send("GET", keyed()));
    const ahead = `${parseState(now)?.hash}.999999999999`;
    const { got } = await wait(keyed(), ahead, 1);
    expect([got.status, stateOf(got)]).toEqual([200, now]);
  });

  test("ends at the deadline of its call, which counts like without a wait", async () => {
    const now = stateOf(await send("GET", keyed()));
    const urls = [keyed(), keyed().replace(/key=.*/, "key=mqp_unknown")];
    for (const [timeout, ...want] of [
      ["400", "DEADLINE_PASSED", "CREDENTIALS_INVALID"],
      ["0", "DEADLINE_PASSED", "CREDENTIALS_INVALID"],
      ["soon", "REQUEST_MALFORMED", "CREDENTIALS_INVALID"],
    ] as const) {
      const headers = { "connect-timeout-ms": timeout };
      const all = await Promise.all(urls.map((url) => wait(url, now, 5, headers)));
      expect([timeout, ...all.map(({ got }) => reasonOf(got))]).toEqual([timeout, ...want]);
      for (const { ms } of all) expect(ms).toBeLessThan(4_000);
    }
    await expect.poll(() => metric("marquee_waiting_requests")).toBe(0);
  });

  test("20: ends when its response is no longer true, without a write", async () => {
    let ahead = 0;
    const clocked = await startMarquee({ clock: () => new Date(Date.now() + ahead) });
    await score(0, EVENT, clocked);
    const end = new Date(Date.now() + 600_000).toISOString();
    await send("PATCH", `${clocked.url}/cms/events/v1/${EVENT}`, {
      token: clocked.tokens.owner,
      headers: { "x-project-id": "worldcup" },
      body: { event: { end_time: end }, update_mask: "end_time" },
    });
    const url = keyed(
      { filter: `id: ${EVENT} AND end_time > now` },
      PROCEDURES.listEvents,
      clocked,
    );
    const before = await send("GET", url);
    expect(before.json.events).toHaveLength(1);
    const waiting = wait(url, stateOf(before), 10);
    await pause(200);
    ahead = 700_000;
    const { got, ms } = await waiting;
    expect([got.json.events ?? [], ms < 5_000]).toEqual([[], true]);
    await clocked.close();
  });

  test("ends when its key is revoked, with 401", async () => {
    const { tokens, url } = marquee;
    const keys = `${url}/iam/project_keys/v1`;
    const body = { project_id: "worldcup", kind: "PROJECT_KEY_KIND_PUBLIC" };
    const { json } = await send("POST", keys, { token: tokens.owner, body });
    const read = `${url}${getUrl(GET_EVENT, { id: EVENT })}&key=${json.key}`;
    const waiting = wait(read, stateOf(await send("GET", read)), 10);
    await expect.poll(() => metric("marquee_waiting_requests")).toBe(1);
    await send("DELETE", `${keys}/${json.project_key.id}`, { token: tokens.owner });
    const { got, ms } = await waiting;
    expect([got.status, ms < 5_000]).toEqual([401, true]);
  });

  test("ends when its project is deleted, with 401: the key is deleted, too", async () => {
    const { tokens, url } = marquee;
    const create = async (path: string, body: object) => {
      const got = await send("POST", `${url}${path}`, { token: tokens.owner, body });
      expect([got.status, got.text]).toEqual([200, expect.anything()]);
      return got.json;
    };
    const named = { organization_id: "org-worldcup", name: "Short" };
    await create("/iam/projects/v1?project_id=short", named);
    const kind = "PROJECT_KEY_KIND_PUBLIC";
    const { key } = await create("/iam/project_keys/v1", { project_id: "short", kind });
    const content = { content_type: "match", visibility: "VISIBILITY_PUBLISHED" };
    await create("/cms/events/v1?event_id=one", { project_id: "short", ...content });
    const read = `${url}${getUrl(GET_EVENT, { id: "one" })}&key=${key}`;
    const waiting = wait(read, stateOf(await send("GET", read)), 10);
    await expect.poll(() => metric("marquee_waiting_requests")).toBe(1);
    const path = `${url}/iam/projects/v1/short?force=true`;
    expect((await send("DELETE", path, { token: tokens.owner })).status).toBe(200);
    const { got, ms } = await waiting;
    expect([got.status, ms < 5_000]).toEqual([401, true]);
  });

  test("ends when its resource is deleted, with the error", async () => {
    const { tokens, url } = marquee;
    const headers = { "x-project-id": "worldcup" };
    await send("POST", `${url}/cms/events/v1?event_id=brief`, {
      token: tokens.owner,
      body: { project_id: "worldcup", content_type: "match", visibility: "VISIBILITY_PUBLISHED" },
    });
    const before = await send("GET", keyed({ id: "brief" }));
    const waiting = wait(keyed({ id: "brief" }), stateOf(before), 10);
    await expect.poll(() => metric("marquee_waiting_requests")).toBe(1);
    await send("DELETE", `${url}/cms/events/v1/brief`, { token: tokens.owner, headers });
    const { got } = await waiting;
    expect([got.status, reasonOf(got)]).toEqual([404, "RESOURCE_NOT_FOUND"]);
  });

  test("ends when its client goes away, and others go on", async () => {
    const before = stateOf(await send("GET", keyed()));
    const gone = get(`${keyed()}&after=${before}&wait=10`).on("error", () => {});
    await expect.poll(() => metric("marquee_waiting_requests")).toBe(1);
    const other = wait(keyed(), before, 10);
    await expect.poll(() => metric("marquee_waiting_requests")).toBe(2);
    gone.destroy();
    await expect.poll(() => metric("marquee_waiting_requests")).toBe(1);
    await score(-1);
    expect(scoreOf((await other).got)).toBe(-1);
  });
});

// Each takes seconds, at a service of its own.
describe.concurrent("a wait among others", () => {
  test("19: lasts its ten seconds although other resources change", async () => {
    const own = await startMarquee();
    const url = keyed(undefined, undefined, own);
    const before = await send("GET", url);
    let isOver = false;
    const others = (async () => {
      for (let home = 0; !isOver; home += 1) {
        await score(home, "match-2026-103", own);
        await pause(100);
      }
    })();
    const { got, ms } = await wait(url, stateOf(before), 10);
    isOver = true;
    await others;
    expect(ms).toBeGreaterThan(9_990);
    expect(ms).toBeLessThan(20_000);
    expect([got.text, cacheOf(got)]).toEqual([
      before.text,
      "public, s-maxage=1, stale-while-revalidate=0",
    ]);
    expect(parseState(stateOf(got))?.hash).toBe(parseState(stateOf(before))?.hash);
    await own.close();
  });

  // A sample of `npm run fuzz`, which makes far more.
  test("18: never brings an older state after a newer one, at two processes in any coding", async () => {
    const { hops, news, errors } = await fuzzHops({ openFresh, hops: 400, clients: 100, seed: 38 });
    expect(errors).toEqual([]);
    expect([hops, news]).toEqual([400, expect.toSatisfy((it) => it > 40)]);
  });

  // No engine takes part, and PostgreSQL needs seconds for these writes.
  test.runIf(ENGINE === "sqlite")(
    "is paced: hops after many writes get one response a second",
    async () => {
      const own = await startMarquee();
      const url = keyed(undefined, undefined, own);
      let isOver = false;
      const writing = (async () => {
        for (let home = 100; !isOver; home += 1) await score(home, EVENT, own);
      })();
      let after = stateOf(await send("GET", url));
      const times: number[] = [];
      for (let hop = 0; hop < 4; hop += 1) {
        after = stateOf((await wait(url, after, 5)).got);
        times.push(performance.now());
      }
      isOver = true;
      await writing;
      await own.close();
      // Without pauses, each hop would end with the next write.
      expect((times[3] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(2_500);
    },
  );
});

describe("23: a wait is rejected, and no cache keeps the error:", () => {
  const AFTER = `${"a".repeat(16)}.1`;
  const list = (message: object) => keyed(message, PROCEDURES.listEvents);
  const cases: [
    name: string,
    method: string,
    url: () => string,
    reason: string,
    token?: () => string,
  ][] = [
    ["a POST", "POST", () => `${keyed()}&after=${AFTER}&wait=5`, "WAIT_NOT_SUPPORTED"],
    [
      ...(["a key in a header", "GET"] as const),
      () => `${marquee.url}${getUrl(GET_EVENT, { id: EVENT })}&after=${AFTER}&wait=5`,
      ...(["WAIT_NOT_SUPPORTED", () => marquee.keys.public] as const),
    ],
    [
      ...(["what depends on the viewer's country", "GET"] as const),
      () => `${list({ excludeGeoblocked: true })}&after=${AFTER}&wait=5`,
      "WAIT_NOT_SUPPORTED",
    ],
    [
      ...(["the Studio API", "GET"] as const),
      () =>
        `${marquee.url}${getUrl("/svc.studio.cms.event.v1.EventService/GetEvent", {})}&key=x&after=${AFTER}&wait=5`,
      ...(["WAIT_NOT_SUPPORTED", () => marquee.tokens.owner] as const),
    ],
    ["no time", "GET", () => `${keyed()}&after=${AFTER}&wait=0`, "WAIT_INVALID"],
    ["half a second", "GET", () => `${keyed()}&after=${AFTER}&wait=0.5`, "WAIT_INVALID"],
    ["a state of another form", "GET", () => `${keyed()}&after=x&wait=5`, "WAIT_INVALID"],
    ["no state", "GET", () => `${keyed()}&wait=5`, "WAIT_INVALID"],
    ["a state alone", "GET", () => `${keyed()}&after=${AFTER}`, "WAIT_INVALID"],
  ];
  test.each(cases)("%s", async (_name, method, url, reason, token) => {
    const got = await send(method, url(), {
      token: token?.(),
      ...(method === "POST" && { body: {}, headers: { "connect-protocol-version": "1" } }),
    });
    expect([got.status, reasonOf(got)]).toEqual([400, reason]);
    expect(cacheOf(got)).toContain("no-store");
  });

  test("a viewer's token in the URL is rejected as without a wait", async () => {
    const url = `${marquee.url}${getUrl(GET_EVENT, { id: EVENT })}&key=a.b.c&after=${AFTER}&wait=5`;
    expect(reasonOf(await send("GET", url))).toBe("CREDENTIALS_WRONG_KIND");
  });
});

// No engine takes part.
describe.runIf(ENGINE === "sqlite")("the limits", () => {
  test("22: a read past --max-waiting returns at once and says when to poll", async () => {
    const small = await startMarquee({ limits: { maxWaiting: 2 } });
    const url = keyed(undefined, undefined, small);
    const other = keyed({ id: "match-2026-103" }, undefined, small);
    const state = stateOf(await send("GET", url));
    const first = wait(url, state, 10);
    await pause(100);
    for (const [read, after] of [
      [other, stateOf(await send("GET", other))],
      [url, state],
    ] as const) {
      if (read === url) void wait(url, state, 10);
      await pause(100);
      const { got, ms } = await wait(read, after, 10);
      expect([got.status, got.headers.get("retry-after"), cacheOf(got)]).toEqual([
        ...[200, "5", "public, s-maxage=1, stale-while-revalidate=0"],
      ]);
      expect(ms).toBeLessThan(5_000);
    }
    await score(3, EVENT, small);
    expect(scoreOf((await first).got)).toBe(3);
    await small.close();
  });

  test("an organization leaves a quarter to others while they wait, with all of its projects together", async () => {
    const shared = await startMarquee({ limits: { maxWaiting: 8 } });
    const urls = [
      keyed(undefined, undefined, shared),
      `${shared.url}${getUrl(PROCEDURES.listEvents, {})}&key=${shared.keys.sandbox}`,
    ];
    const other = await keyOfOther(shared);
    const states = new Map<string, string>();
    for (const url of [...urls, other]) states.set(url, stateOf(await send("GET", url)));
    const waitFor = (url = "") => wait(url, states.get(url) ?? "", 10);
    const waiting: Promise<unknown>[] = [];
    const begin = async (url: string | undefined) => {
      waiting.push(waitFor(url));
      await expect.poll(() => metric("marquee_waiting_requests", shared)).toBe(waiting.length);
    };
    await begin(other);
    for (let turn = 0; turn < 6; turn += 1) await begin(urls[turn % 2]);
    for (const url of urls) {
      const { got } = await waitFor(url);
      expect([got.status, got.headers.get("retry-after")]).toEqual([200, "5"]);
    }
    await begin(other);
    expect((await waitFor(other)).got.headers.get("retry-after")).toBe("5");
    await shared.close();
    await Promise.all(waiting);
  });

  /** Makes an organization with a project; returns the URL of a read of it by its public key. */
  async function keyOfOther({ url, tokens }: typeof marquee): Promise<string> {
    const create = async (path: string, body: object, headers = {}) =>
      (await send("POST", `${url}${path}`, { token: tokens.owner, headers, body })).json;
    const { organization } = await create("/iam/organizations/v1", { name: "Other" });
    const organization_id = organization.id;
    const headers = { "x-organization-id": organization_id };
    const project = { organization_id, name: "Other" };
    await create("/iam/projects/v1?project_id=other", project, headers);
    const kind = "PROJECT_KEY_KIND_PUBLIC";
    const key = { project_id: "other", name: "site", kind };
    const made = await create("/iam/project_keys/v1", key, headers);
    return `${url}${getUrl(PROCEDURES.listEvents, {})}&key=${made.key}`;
  }
});
