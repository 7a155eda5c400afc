import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import pino from "pino";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Exchange } from "../../../src/http/listener/exchange.ts";
import { HTTP_LIMITS } from "../../../src/http/listener/limits.ts";
import { RateLimits } from "../../../src/http/listener/rate-limits.ts";
import type { Server, ServerOptions } from "../../../src/server.ts";
import { askGrpc } from "../../harness/ask.ts";
import { readLive } from "../../harness/heap.ts";
import { reasonOf, send } from "../../harness/http.ts";
import { type Marquee, startMarquee, startOver } from "../../harness/marquee.ts";
import { connectRaw, head } from "../../harness/raw-socket.ts";

const LIST = "/svc.cda.cms.event.v1.EventService/ListEvents";
const GET = `${LIST}?encoding=json&message=%7B%22pageSize%22%3A%221%22%7D`;
const BATCH = "/ott/page_components/v1/batch?page_component_ids=banner-home";

/** In the middle of a minute, so that none ends during a test. */
const NOW = new Date("2026-06-01T12:00:30Z");

let marquee: Marquee | undefined;
let other: Server | undefined;
afterEach(async () => {
  await other?.close(1_000);
  await marquee?.close();
  [marquee, other] = [undefined, undefined];
});

async function start(options: Partial<ServerOptions>): Promise<Marquee> {
  marquee = await startMarquee({ clock: () => NOW, ...options });
  return marquee;
}

/** Sends the preflight of a call, and returns the status of the response. */
async function preflight(url: string): Promise<number> {
  const headers = { origin: "https://site.example", "access-control-request-method": "POST" };
  return (await send("OPTIONS", url + LIST, { headers })).status;
}

describe("a quota of requests", () => {
  test("of a credential admits as many, shows the remaining number, and rejects one more", async () => {
    const { url, tokens } = await start({
      limits: { rateQuotas: { perCredential: 3, perAddress: 0 } },
    });
    const read = (token: string) => send("GET", url + BATCH, { token });
    for (const remaining of [2, 1, 0]) {
      const { status, headers } = await read(tokens.owner);
      expect(status).toBe(200);
      expect(headers.get("ratelimit-policy")).toBe('"credential";q=3;w=60');
      expect(headers.get("ratelimit")).toBe(`"credential";r=${remaining};t=30`);
    }
    const rejected = await read(tokens.owner);
    expect(rejected.status).toBe(429);
    expect(reasonOf(rejected)).toBe("RATE_LIMITED");
    expect(rejected.json).toMatchObject({ code: 8, message: "too many requests; retry in 30 s" });
    expect(rejected.headers.get("retry-after")).toBe("30");
    expect(rejected.headers.get("ratelimit")).toBe('"credential";r=0;t=30');
    expect((await read(tokens.editor)).status).toBe(200);
    const { code, trailers } = await askGrpc(url, LIST, { token: tokens.owner });
    expect([code, trailers["retry-after"]]).toEqual(["8", "30"]);
  });

  test("of an address holds for all credentials together, and for wrong ones", async () => {
    const { url, tokens } = await start({
      limits: { rateQuotas: { perCredential: 0, perAddress: 3 } },
    });
    const statuses: number[] = [];
    for (const token of [tokens.owner, "wrong", undefined, tokens.editor]) {
      statuses.push((await send("GET", url + BATCH, { token })).status);
    }
    expect(statuses).toEqual([200, 401, 401, 429]);
  });

  test("counts responses from memory, whose headers are those of all clients", async () => {
    const { url, keys } = await start({
      limits: { rateQuotas: { perCredential: 5, perAddress: 0 } },
    });
    const read = () => send("GET", url + GET, { token: keys.public });
    for (let round = 0; round < 5; round += 1) {
      const { status, headers } = await read();
      expect(status).toBe(200);
      expect(headers.get("cache-control")).toMatch(/^public/);
      expect(headers.get("ratelimit")).toBeNull();
    }
    const rejected = await read();
    expect(rejected.status).toBe(429);
    expect(reasonOf(rejected)).toBe("RATE_LIMITED");
    expect(rejected.json.code).toBe("resource_exhausted");
    expect(rejected.headers.get("access-control-expose-headers")).toContain("RateLimit");
  });

  test("counts a token once, however it is written", async () => {
    const { url, keys } = await start({
      limits: { rateQuotas: { perCredential: 3, perAddress: 0 } },
    });
    const ways: [string, string?][] = [
      [GET, `Bearer ${keys.public}`],
      [GET, `bearer   ${keys.public}`],
      [`${GET}&key=${keys.public}`],
      [`${GET}&k%65y=%6d${keys.public.slice(1)}`],
    ];
    const statuses: number[] = [];
    for (const [path, authorization] of ways) {
      const headers = authorization === undefined ? {} : { authorization };
      statuses.push((await send("GET", url + path, { headers })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  test("admits every preflight: without one, a browser shows no error of the call behind it", async () => {
    const { url } = await start({ limits: { rateQuotas: { perCredential: 0, perAddress: 1 } } });
    expect(await preflight(url)).toBe(204);
    const statuses = [await send("GET", url + GET), await send("GET", url + GET)];
    expect(statuses.map(({ status }) => status)).toEqual([401, 429]);
    expect(await preflight(url)).toBe(204);
  });

  test("counts calls of gRPC served from memory once each, and shows the remaining number", async () => {
    const { url, keys } = await start({
      limits: { rateQuotas: { perCredential: 4, perAddress: 9 } },
    });
    const read = () => askGrpc(url, LIST, { token: keys.public });
    for (const remaining of [3, 2, 1, 0]) {
      const { headers, code } = await read();
      expect(code).toBe("0");
      expect(headers.ratelimit).toContain(`"credential";r=${remaining};t=30`);
    }
    const rejected = await read();
    expect(rejected.code).toBe("8");
    expect(rejected.headers.ratelimit).toBe('"credential";r=0;t=30, "address";r=4;t=30');
  });

  test("does not count health, metrics and keys", async () => {
    const { url } = await start({ limits: { rateQuotas: { perCredential: 0, perAddress: 1 } } });
    for (const path of ["/healthz", "/readyz", "/metrics", "/.well-known/jwks.json"]) {
      for (let round = 0; round < 2; round += 1) {
        expect((await send("GET", url + path)).status).toBe(200);
      }
    }
  });

  test("holds for two processes together, after they have exchanged counts", async () => {
    const { openAnother } = await start({
      limits: { rateQuotas: { perCredential: 0, perAddress: 0 } },
    });
    const options = {
      clock: () => NOW,
      limits: { rateQuotas: { perCredential: 0, perAddress: 10 } },
    };
    const one = await startOver(await openAnother(), options);
    other = await startOver(await openAnother(), options);
    const first = await readUntilRejected(one.studioUrl);
    expect(first).toBe(10);
    // It learns of the others with its own first requests.
    await send("GET", other.studioUrl + BATCH);
    await expect
      .poll(() => send("GET", `${other?.studioUrl}${BATCH}`), POLL)
      .toMatchObject({
        status: 429,
      });
    await one.close(1_000);
  });
});

const POLL = { timeout: 20_000, interval: 300 };

async function readUntilRejected(url: string): Promise<number> {
  for (let count = 0; ; count += 1) {
    if ((await send("GET", url + BATCH)).status === 429) return count;
  }
}

describe("requests in progress", () => {
  test("past the bound are rejected at once, and admitted again when one has ended", async () => {
    const { url, tokens, store } = await start({ limits: { maxRequests: 1 } });
    const held = Promise.withResolvers<void>();
    const findToken = store.access.findToken.bind(store.access);
    const find = vi.spyOn(store.access, "findToken").mockImplementationOnce(async (hash) => {
      await held.promise;
      return findToken(hash);
    });
    const first = send("GET", url + BATCH, { token: tokens.owner });
    await expect.poll(() => find.mock.calls.length).toBe(1);
    const rejected = await send("GET", url + BATCH, { token: tokens.owner });
    expect(rejected.status).toBe(503);
    expect(reasonOf(rejected)).toBe("OVERLOADED");
    expect(await preflight(url)).toBe(204);
    expect(rejected.headers.get("retry-after")).toBe("1");
    expect((await send("GET", `${url}/readyz`)).status).toBe(200);
    held.resolve();
    expect((await first).status).toBe(200);
    expect((await send("GET", url + BATCH, { token: tokens.owner })).status).toBe(200);
  });

  test("leave a quarter to other organizations, over HTTP/JSON and over Connect", async () => {
    const { url, store, tokens, keys } = await start({ limits: { maxRequests: 4 } });
    const create = async (path: string, body: object, headers = {}) =>
      (await send("POST", `${url}${path}`, { token: tokens.owner, headers, body })).json;
    const { organization } = await create("/iam/organizations/v1", { name: "Other" });
    const headers = { "x-organization-id": organization.id };
    const project = { organization_id: organization.id, name: "Other" };
    await create("/iam/projects/v1?project_id=other", project, headers);
    const key = { project_id: "other", name: "site", kind: "PROJECT_KEY_KIND_PUBLIC" };
    const other = await create("/iam/project_keys/v1", key, headers);
    const held = Promise.withResolvers<void>();
    const { pageComponents } = store.in("org-worldcup");
    const getMany = vi
      .spyOn(Object.getPrototypeOf(pageComponents), "getMany")
      .mockImplementation(async () => {
        await held.promise;
        return [];
      });
    const waiting = [1, 2, 3].map(() => send("GET", url + BATCH, { token: tokens.owner }));
    try {
      await expect.poll(() => getMany.mock.calls.length).toBe(3);
      for (const [path, token] of [
        [BATCH, tokens.owner],
        [GET, keys.public],
      ] as const) {
        expect(reasonOf(await send("GET", url + path, { token }))).toBe("OVERLOADED");
      }
      const got = await send("GET", url + GET, { token: other.key });
      expect([got.status, got.text]).toEqual([200, "{}\n"]);
    } finally {
      held.resolve();
      getMany.mockRestore();
    }
    await Promise.all(waiting);
    expect((await send("GET", url + GET, { token: keys.public })).status).toBe(200);
  });

  test("have so many bytes of bodies of an organization, as decompressed", async () => {
    const { url, store, tokens } = await start({});
    const { bodies, studioBody, uncountedBody } = HTTP_LIMITS;
    const update = { page_component_update: { name: "x" }, update_mask: "name" };
    const body = gzipSync(JSON.stringify(update).padEnd(studioBody));
    const headers = { "content-encoding": "gzip", "content-length": String(body.length) };
    const write = () =>
      send("PATCH", `${url}/ott/page_components/v2/banner-home`, {
        ...{
          token: tokens.owner,
          headers: { ...headers, "content-type": "application/json" },
          body,
        },
      });
    const held = Promise.withResolvers<void>();
    const before = store.transaction("installation", () => held.promise);
    const fits = Math.floor((bodies * 0.75) / (studioBody - uncountedBody));
    const all = Array.from({ length: fits + 1 }, write);
    const rejected = await Promise.race(all);
    held.resolve();
    expect([rejected.status, reasonOf(rejected)]).toEqual([503, "OVERLOADED"]);
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).toBe(fits);
    await before;
  });

  test("are not those whose bodies are on their way, also after their rejection", async () => {
    const { url, tokens } = await start({ limits: { maxRequests: 1 } });
    const body = JSON.stringify({ page_component_update: { name: "x" }, update_mask: "name" });
    const begin = async (headers: Record<string, string>) => {
      const raw = await connectRaw(url);
      const length = String(body.length);
      const all = { "Content-Type": "application/json", "Content-Length": length, ...headers };
      raw.write(`${head("PATCH /ott/page_components/v2/banner-home", all)}{`);
      return raw;
    };
    const other = await begin({});
    const raw = await begin({ Authorization: `Bearer ${tokens.owner}` });
    await new Promise((resolve) => other.socket.once("data", resolve));
    const read = async () => (await send("GET", url + BATCH, { token: tokens.owner })).status;
    // The other one may still be authenticated.
    await expect.poll(read).toBe(200);
    raw.write(body.slice(1));
    expect((await raw.response()).status).toBe(200);
    other.socket.destroy();
  });
});

test("a credential of any length takes the memory of a short one", () => {
  const log = pino({ level: "silent" });
  const counts = { add: async () => new Map<string, number>() };
  const quotas = { perCredential: 1, perAddress: 0 };
  const limits = new RateLimits({ quotas, counts, clock: () => NOW, log });
  const before = readLive();
  for (let number = 0; number < 5_000; number += 1) {
    const credential = randomBytes(8_000).toString("hex");
    limits.take({ credential } as Exchange);
  }
  // Together they have 80 MB.
  expect(readLive() - before).toBeLessThan(40_000_000);
  expect(limits.take({ credential: "new" } as Exchange)).toBeUndefined();
  limits.close();
});
