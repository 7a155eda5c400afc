import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { METHODS, nameOf } from "../conventions/descriptors.ts";
import { getUrl, PROCEDURES } from "../harness/calls.ts";
import { findFreePort } from "../harness/free-port.ts";
import { send } from "../harness/http.ts";
import { type Marquee, startMarquee } from "../harness/marquee.ts";
import { ROOT, run, start } from "../harness/process.ts";
import { connectRaw } from "../harness/raw-socket.ts";
import { expectWithin, MACHINE } from "../harness/turns.ts";
import { startReceiver } from "../outbox/receiver.ts";
import { readThroughBoundaries } from "./boundaries.ts";
import { isVarnishInstalled, startVarnish, type Varnish } from "./varnish.ts";

const isRequired = process.env.CI !== undefined || process.env.MARQUEE_TEST_EDGE === "required";
const isSkipped = !isVarnishInstalled && !isRequired;
if (isSkipped) {
  process.stderr.write(
    "\n*** SKIPPED: the tests of a cache in front, as there is no Varnish ***\n\n",
  );
}

const EVENT = "match-2026-104";
const KEY = `worldcup/events/${EVENT}`;

describe.skipIf(isSkipped)("behind Varnish, with the configuration of the compose file,", () => {
  let marquee: Marquee;
  let varnish: Varnish;

  beforeAll(async () => {
    if (!isVarnishInstalled) throw new Error("no Varnish: apt-get install varnish varnish-modules");
    marquee = await startMarquee({
      location: { countryHeader: "cf-ipcountry" },
      ...{ runsActions: true, actionsAllowPrivate: true },
    });
    const port = Number(new URL(marquee.url).port);
    varnish = await startVarnish([port, port]);
  });
  afterAll(async () => {
    await varnish?.stop();
    await marquee?.close();
  });

  const read = (path: string, token = marquee.keys.public, headers = {}) =>
    send("GET", varnish.url + path, { token, headers });
  const list = (pageSize: number) =>
    getUrl(PROCEDURES.listEvents, { filter: `id: ${EVENT}`, pageSize });
  const titleOf = (got: { json: { events?: { title?: Record<string, string> }[] } }) =>
    got.json.events?.[0]?.title?.en;
  const rename = async (en: string) => {
    const got = await send("PATCH", `${marquee.url}/cms/events/v1/${EVENT}`, {
      token: marquee.tokens.owner,
      headers: { "x-project-id": "worldcup" },
      body: { event: { title: { en } }, update_mask: "title" },
    });
    expect([got.status, got.text]).toEqual([200, expect.anything()]);
    return got;
  };
  const cacheOf = (got: { headers: Headers }) => got.headers.get("x-cache");

  test("a public response is kept for its key alone", async () => {
    const path = list(1);
    const first = await read(path);
    const second = await read(path);
    expect([first.status, cacheOf(first), cacheOf(second)]).toEqual([200, "miss", "hit"]);
    expect(second.text).toBe(first.text);
    const other = await read(path, marquee.keys.sandbox);
    expect([cacheOf(other), other.text === first.text]).toEqual(["miss", false]);
    const stranger = await read(path, "mq_pub_unknown");
    expect([stranger.status, cacheOf(stranger)]).toEqual([401, "miss"]);
  });

  test("a browser's ETag gets 304 without Marquee", async () => {
    const first = await read(list(2));
    const etag = first.headers.get("etag") ?? "";
    const again = await read(list(2), undefined, { "if-none-match": etag });
    expect([again.status, cacheOf(again)]).toEqual([304, "hit"]);
  });

  test("a response to a public key is kept, whatever other callers ask at the same URL", async () => {
    const path = list(12);
    await read(path);
    for (const token of [marquee.keys.preview, "mqp_unknown"]) {
      expect(cacheOf(await read(path, token))).toBe("miss");
      expect(cacheOf(await read(path))).toBe("hit");
    }
  });

  test("what must not be kept is forgotten when it may be asked for again", async () => {
    await read(list(13), "mqp_unknown");
    await read(list(13), marquee.keys.preview);
    const args = ["-n", varnish.folder, "-d", "-g", "raw", "-i", "TTL"];
    const { stdout } = await run("varnishlog", args);
    const kept = stdout.matchAll(/ VCL \d+ \d+ (\d+) \d+ uncacheable$/gm);
    expect(new Set(Array.from(kept, ([, seconds]) => seconds))).toEqual(new Set(["0"]));
  });

  test("responses to preview keys and to POST are never kept", async () => {
    for (let time = 0; time < 2; time += 1) {
      expect(cacheOf(await read(list(3), marquee.keys.preview))).toBe("miss");
      const posted = await send("POST", varnish.url + PROCEDURES.listEvents, {
        ...{ token: marquee.keys.public, body: {} },
        headers: { "connect-protocol-version": "1" },
      });
      expect([posted.status, cacheOf(posted)]).toEqual([200, "miss"]);
    }
  });

  test("every method of delivery is passed on, and none of the Studio API, by no protocol", async () => {
    for (const method of METHODS) {
      const path = `/${nameOf(method)}`;
      const { status, headers } = await send("POST", varnish.url + path, {
        ...{ token: marquee.tokens.owner, body: {} },
        headers: { "connect-protocol-version": "1" },
      });
      const isDelivery = path.startsWith("/svc.cda.");
      expect([path, headers.has("x-cache")]).toEqual([path, isDelivery]);
      if (!isDelivery) expect([path, status]).toEqual([path, 404]);
    }
  });

  test("what else Marquee serves is denied, however its path is spelled", async () => {
    const paths = [
      ...[
        "/",
        "/metrics",
        "/healthz",
        "/readyz",
        "/preview",
        "/studio",
        "/studio/studio.js",
        "/reference",
      ],
      ...["/openapi.json", "/schema.binpb", "/ott/pages/v1", "/iam/roles/v1", "/billing/events"],
      ...["/grpc.health.v1.Health/Check", "/grpc.reflection.v1.ServerReflection/x"],
      "/playback/v1/verify?project_id=worldcup",
    ];
    const evasions = paths.flatMap((path) => [
      path,
      `/${path}`,
      `/svc.cda.x/..${path}`,
      `/svc.cda.x/Y/%2e%2e/%2e%2e${path}`,
      `http://${new URL(marquee.url).host}${path}`,
      path.replaceAll("e", "%65"),
    ]);
    for (const path of evasions) {
      const connection = await connectRaw(varnish.url);
      connection.write(
        `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${marquee.tokens.owner}\r\n\r\n`,
      );
      const { status, headers } = await connection.response();
      connection.destroy();
      expect([path, status, headers["x-cache"]]).toEqual([path, 404, undefined]);
    }
    for (let time = 0; time < 2; time += 1) {
      const keys = await send("GET", `${varnish.url}/.well-known/jwks.json`);
      expect([keys.status, cacheOf(keys)]).toEqual([200, "miss"]);
    }
  });

  test("a change is served after its key is purged", async () => {
    const path = list(4);
    const before = titleOf(await read(path));
    await rename("Renamed final");
    expect(titleOf(await read(path))).toBe(before);
    const purged = await varnish.purge(KEY);
    expect(purged.status).toBe(200);
    const after = await read(path);
    expect([cacheOf(after), titleOf(after)]).toEqual(["miss", "Renamed final"]);
  });

  test("a change is served to who sends the token of the write, and to others from then on", async () => {
    const path = list(8);
    const before = titleOf(await read(path));
    const { headers } = await rename(`${before} again`);
    expect(titleOf(await read(path))).toBe(before);
    const token = headers.get("x-consistency-token") ?? "";
    const own = await read(path, undefined, { "x-consistency-token": token });
    expect([cacheOf(own), titleOf(own)]).toEqual(["miss", `${before} again`]);
    expect(titleOf(await read(path))).toBe(`${before} again`);
    await rename(String(before));
  });

  test("a change is served once its webhook has purged its keys", async () => {
    const path = list(9);
    const before = titleOf(await read(path));
    const manage = (method: string, id: string, body?: object) =>
      send(method, `${marquee.url}/cms/webhooks/v1${id}`, {
        ...{ token: marquee.tokens.owner, ...(body && { body }) },
      });
    const port = await findFreePort();
    const created = await manage("POST", "?webhook_id=purge", {
      ...{ project_id: "worldcup", name: "purge", url: `http://127.0.0.1:${port}/` },
    });
    const fastly = await startReceiver((_, response) => response.end());
    const receiver = start(process.execPath, [join(ROOT, "deploy/webhooks/purge.mjs")], {
      env: {
        ...{ WEBHOOK_SECRET: created.json.signing_secret, PORT: String(port) },
        ...{ VARNISH_URLS: varnish.purgeUrl, PURGE_AGAIN_MS: "0" },
        ...{ FASTLY_URL: fastly.url, FASTLY_SERVICE_ID: "site", FASTLY_KEY: "secret" },
      },
    });
    await receiver.printed(/listening/);
    await rename("Announced final");
    await expect.poll(async () => titleOf(await read(path))).toBe("Announced final");
    // The receiver asks Fastly after Varnish, and both again for what other processes sent before they knew the change.
    await expect.poll(() => fastly.requests.length).toBe(2);
    for (const sent of fastly.requests) {
      expect([sent.method, sent.path, sent.headers["fastly-key"]]).toEqual([
        ...["POST", "/service/site/purge", "secret"],
      ]);
      expect(sent.headers["surrogate-key"]).toContain(
        `${KEY} worldcup/events worldcup/events/type:match`,
      );
    }
    await manage("DELETE", "/purge");
    receiver.child.kill("SIGTERM");
    await Promise.all([receiver.finished, fastly.close()]);
    await rename(String(before));
  });

  test("a soft purge serves the old response once more, and fetches the new one meanwhile", async () => {
    const path = list(5);
    await read(path);
    await rename("Renamed softly");
    await varnish.purge(KEY, { "soft-purge": "1" });
    const stale = await read(path);
    expect([cacheOf(stale), titleOf(stale)]).toEqual(["hit", "Renamed final"]);
    await expect.poll(async () => titleOf(await read(path))).toBe("Renamed softly");
  });

  test("the project as a key purges all of its responses, and none of another project", async () => {
    const home = getUrl("/svc.cda.ott.page.v1.PageService/GetPage", { slug: "home" });
    const sandbox = getUrl(PROCEDURES.listEvents, { pageSize: 7 });
    const got = [await read(home), await read(list(6)), await read(sandbox, marquee.keys.sandbox)];
    expect(got.map(({ status }) => status)).toEqual([200, 200, 200]);
    await varnish.purge("worldcup");
    expect(cacheOf(await read(home))).toBe("miss");
    expect(cacheOf(await read(list(6)))).toBe("miss");
    expect(cacheOf(await read(sandbox, marquee.keys.sandbox))).toBe("hit");
  });

  test("16, 17: clients that wait are one request to Marquee, and all get a goal soon", async () => {
    const event = getUrl("/svc.cda.cms.event.v1.EventService/GetEvent", { id: EVENT });
    const url = `${varnish.url}${event}&key=${marquee.keys.public}`;
    const waits = async () => {
      const { text } = await send("GET", `${marquee.url}/metrics`);
      const counts = text.matchAll(/^marquee_waits_total\{result="(?:news|none)"\} (\d+)$/gm);
      return Array.from(counts, ([, count]) => Number(count)).reduce((a, b) => a + b, 0);
    };
    const before = await waits();
    const state = (await send("GET", url)).headers.get("marquee-state");
    const clients = Array.from({ length: 200 }, () => send("GET", `${url}&after=${state}&wait=10`));
    await expect
      .poll(async () => (await send("GET", `${marquee.url}/metrics`)).text)
      .toContain("\nmarquee_waiting_requests 1\n");
    const start = performance.now();
    await rename("A goal");
    for (const { json } of await Promise.all(clients)) expect(json.event.title.en).toBe("A goal");
    expectWithin(performance.now() - start, 450 * MACHINE);
    expect((await waits()) - before).toBe(1);
  });

  test("3: no response shows an event more than a second outside of its window", async () => {
    await readThroughBoundaries(marquee, varnish.url);
  });

  test("while no process is ready, each gets requests nevertheless", async () => {
    const process = await startReceiver(({ url }, response) => {
      response.writeHead(url === "/readyz" ? 503 : 200).end();
    });
    const other = await startVarnish([process.port, process.port]);
    const checks = () => process.requests.filter(({ path }) => path === "/readyz").length;
    await expect.poll(checks, { timeout: 5_000 }).toBeGreaterThan(5);
    const got = await send("GET", other.url + list(1));
    expect(got.status).toBe(200);
    await other.stop();
    await process.close();
  });

  test("a purge without keys is rejected, and any other request to its listener", async () => {
    expect((await send("PURGE", varnish.purgeUrl)).status).toBe(400);
    expect((await send("GET", varnish.purgeUrl + list(1))).status).toBe(405);
  });

  test("nobody purges at the public listener, also not from this machine or by a header", async () => {
    const path = list(11);
    await read(path);
    for (const headers of [{}, { "x-forwarded-for": "127.0.0.1" }, { host: "127.0.0.1" }]) {
      for (const url of [varnish.url, varnish.url + path]) {
        const got = await send("PURGE", url, {
          headers: { "surrogate-key": "worldcup", ...headers },
        });
        expect([404, 405]).toContain(got.status);
      }
    }
    expect(cacheOf(await read(path))).toBe("hit");
  });
});
