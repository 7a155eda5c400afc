import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { Code, createClient, type Transport } from "@connectrpc/connect";
import { createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Health } from "../../gen/health/v1/health_pb.ts";
import { EventService } from "../../gen/svc/cda/cms/event/v1/event_service_pb.ts";
import { PlaybackService } from "../../gen/svc/cda/streaming/playback/v1/playback_service_pb.ts";
import { EventService as StudioEventService } from "../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import { parseNetwork } from "../../src/network/ip-address.ts";
import { idsOf } from "../api/delivery.ts";
import { callRest } from "../api/studio.ts";
import { connectHeaders, getUrl, PROCEDURES } from "../harness/calls.ts";
import { captureLog } from "../harness/captured-log.ts";
import { createFolder } from "../harness/folder.ts";
import { findFreePort } from "../harness/free-port.ts";
import { send } from "../harness/http.ts";
import { type Marquee, startMarquee } from "../harness/marquee.ts";
import { ROOT } from "../harness/process.ts";
import { authorize } from "../harness/transports.ts";
import { expectWithin, MACHINE } from "../harness/turns.ts";
import { findNginx, isNginxRequired, type Nginx, startNginx } from "../playback/nginx.ts";
import { readThroughBoundaries } from "./boundaries.ts";

/** How long a call of gRPC may be quiet by default, instead of 60 seconds. */
const QUIET_SECONDS = 3;

const program = findNginx();
const isSkipped = program === undefined && !isNginxRequired;
if (isSkipped) {
  process.stderr.write("\n*** SKIPPED: the tests of nginx in front, as there is no nginx ***\n\n");
}

describe.skipIf(isSkipped)("behind nginx, with deploy/nginx/marquee.conf,", () => {
  const folder = createFolder();
  const captured = captureLog();
  let marquee: Marquee;
  let nginx: Nginx;
  let url: string;
  let grpcUrl: string;

  beforeAll(async () => {
    if (program === undefined) throw new Error("no nginx: apt-get install nginx-light");
    const trustedProxies = [parseNetwork("127.0.0.1/32") ?? expect.fail()];
    marquee = await startMarquee({
      log: captured.log,
      location: { trustedProxies, countryHeader: "X-Country", vpnHeader: "X-VPN" },
    });
    const [port, grpcPort] = [await findFreePort(), await findFreePort()];
    url = `http://127.0.0.1:${port}`;
    grpcUrl = `http://127.0.0.1:${grpcPort}`;
    const configuration = [
      ["127.0.0.1:8080", new URL(marquee.url).host],
      ["listen 80;", `listen 127.0.0.1:${port};`],
      ["listen 8082 http2;", `listen 127.0.0.1:${grpcPort} http2;`],
      ["/var/cache/marquee-nginx", join(folder.path, "cache")],
    ].reduce(
      (text, [name = "", value = ""]) => {
        if (!text.includes(name)) throw new Error(`the configuration does not say ${name}`);
        return text.replaceAll(name, value);
      },
      readFileSync(join(ROOT, "deploy/nginx/marquee.conf"), "utf8"),
    );
    nginx = await startNginx(program, `grpc_read_timeout ${QUIET_SECONDS}s;${configuration}`, port);
  });
  afterAll(async () => {
    await nginx?.stop();
    await marquee?.close();
    folder.remove();
  });

  test("16: clients that wait for longer than its default locks are one request to Marquee", async () => {
    const id = "match-2026-104";
    const path = getUrl("/svc.cda.cms.event.v1.EventService/GetEvent", { id });
    const event = `${path}&key=${marquee.keys.public}`;
    const state = (await send("GET", url + event)).headers.get("marquee-state");
    const clients = Array.from({ length: 20 }, () =>
      send("GET", `${url}${event}&after=${state}&wait=7`),
    );
    for (const { status } of await Promise.all(clients)) expect(status).toBe(200);
    const { text } = await send("GET", `${marquee.url}/metrics`);
    expect(text).toContain('\nmarquee_waits_total{result="none"} 1\n');
  });

  test("16: a client that asks again, two seconds after a wait without news, waits again", async () => {
    const path = getUrl("/svc.cda.cms.event.v1.EventService/GetEvent", { id: "match-2026-103" });
    const event = `${path}&key=${marquee.keys.public}`;
    const state = (await send("GET", url + event)).headers.get("marquee-state");
    for (let time = 0; time < 2; time += 1) {
      const start = performance.now();
      const got = await send("GET", `${url}${event}&after=${state}&wait=1`);
      expect([got.status, got.headers.get("marquee-state")]).toEqual([200, state]);
      expect(performance.now() - start).toBeGreaterThan(900);
      await pause(2_000);
    }
  });

  test("reads whose responses must not be kept are not sent one after the other", async () => {
    const path = getUrl(PROCEDURES.listEvents, { excludeGeoblocked: true });
    const start = performance.now();
    const clients = Array.from({ length: 50 }, () =>
      send("GET", `${url}${path}&key=${marquee.keys.public}`),
    );
    for (const { status } of await Promise.all(clients)) expect(status).toBe(200);
    expectWithin(performance.now() - start, 500 * MACHINE);
  });

  test("3: an event whose window ended long ago is shown to no one, also if nobody has read it since", async () => {
    const end = Date.now() + 2_000;
    const event = {
      ...{ id: "leaves", content_type: "leaves", visibility: "VISIBILITY_PUBLISHED" },
      availability: { end_time: new Date(end).toISOString() },
    };
    const written = await callRest(marquee, "POST", "cms/records/v1:write", {
      ...{ project_id: "worldcup", records: [{ event }] },
    });
    expect(written.status, written.text).toBe(200);
    const path = getUrl(
      PROCEDURES.listEvents,
      { filter: "content_type: leaves" },
      `&key=${marquee.keys.public}`,
    );
    const shown = async () => idsOf(await send("GET", url + path), "events");
    expect(await shown()).toEqual(["leaves"]);
    await pause(end + 3_000 - Date.now());
    expect(await shown()).toEqual([]);
  });

  test("3: no response shows an event more than two seconds outside of its window", async () => {
    // nginx counts whole seconds: it keeps a response of `s-maxage=1` for up to two.
    await readThroughBoundaries(marquee, url, 2_000);
  });

  const list = (pageSize: number, key = "") =>
    getUrl(PROCEDURES.listEvents, { pageSize }, key && `&key=${key}`);
  const read = async (path: string, token?: string, headers = {}) => {
    const got = await send("GET", url + path, { token, headers });
    return { ...got, cache: got.headers.get("x-cache") };
  };

  test("a response to a key in the URL is kept, for that key", async () => {
    const path = list(1, marquee.keys.public);
    const first = await read(path);
    const second = await read(path);
    expect([first.status, first.cache, second.cache]).toEqual([200, "MISS", "HIT"]);
    expect(second.text).toBe(first.text);
    const other = await read(list(1, marquee.keys.sandbox));
    expect([other.status, other.cache, other.text === first.text]).toEqual([200, "MISS", false]);
    const etag = { "if-none-match": first.headers.get("etag") ?? "" };
    expect(await read(path, undefined, etag)).toMatchObject({ status: 304, cache: "HIT" });
  });

  test("a URL and headers are passed up to the limits of Marquee", async () => {
    const long = "x".repeat(15_000);
    expect((await read(`${list(4, marquee.keys.public)}&x=${long}`)).status).toBe(200);
    const got = await read(list(4, marquee.keys.public), undefined, { "x-long": long });
    expect(got.status).toBe(200);
  });

  test("no other response is kept", async () => {
    const token = marquee.keys.public;
    for (let time = 0; time < 2; time += 1) {
      expect(await read(list(2), token)).toMatchObject({ status: 200, cache: "BYPASS" });
      expect(await read(list(2, "mq_unknown"))).toMatchObject({ status: 401, cache: "MISS" });
      const headers = { "x-consistency-token": "worldcup:1" };
      const fresh = await read(list(3, token), undefined, headers);
      expect(fresh).toMatchObject({ status: 200, cache: "BYPASS" });
      const posted = await send("POST", url + PROCEDURES.listEvents, {
        ...{ headers: connectHeaders(token), body: { pageSize: 2 } },
      });
      expect([posted.status, posted.headers.get("x-cache")]).toEqual([200, null]);
    }
    const managed = await read("/ott/pages/v1?project_id=worldcup", marquee.tokens.owner);
    expect([managed.status, managed.cache]).toEqual([200, null]);
    expect((await read("/metrics")).status).toBe(403);
  });

  test("gRPC and gRPC-Web are passed", async () => {
    const interceptors = [authorize(marquee.keys.public)];
    for (const transport of [
      createGrpcTransport({ baseUrl: grpcUrl, interceptors }),
      createGrpcWebTransport({ baseUrl: url, httpVersion: "1.1", interceptors }),
    ]) {
      const { events } = await createClient(EventService, transport).listEvents({ pageSize: 2 });
      expect(events).toHaveLength(2);
    }
    const studio = createGrpcTransport({
      ...{ baseUrl: grpcUrl, interceptors: [authorize(marquee.tokens.owner)] },
    });
    const { events } = await createClient(StudioEventService, studio).listEvents({
      ...{ projectId: "worldcup", pageSize: 2 },
    });
    expect(events).toHaveLength(2);
  });

  test("a watch of the health that is quiet is not ended", async () => {
    const signal = AbortSignal.timeout((QUIET_SECONDS + 2) * 1_000);
    const transport = createGrpcTransport({ baseUrl: grpcUrl });
    const watch = async () => {
      for await (const _ of createClient(Health, transport).watch({}, { signal }));
    };
    await expect(watch()).rejects.toMatchObject({ code: Code.Canceled });
  });

  test("no client chooses its address, its country or whether it uses a VPN", async () => {
    const ruleset = await callRest(marquee, "POST", "streaming/video_protection/v2/rulesets", {
      ...{ project_id: "worldcup", name: "not in Germany", priority: "1000" },
      ...{ geo_restrictions_disallow: { country_codes: ["DE"] }, disallow_vpn_usage: true },
      target: { event_ids: ["match-2026-104"] },
    });
    expect(ruleset.status, ruleset.text).toBe(200);
    const forged = { "x-forwarded-for": "203.0.113.7", "x-country": "DE", "x-vpn": "true" };
    const interceptors = [authorize(marquee.keys.public)];
    const direct = createGrpcTransport({ baseUrl: marquee.url, interceptors });
    const passed = createGrpcTransport({ baseUrl: grpcUrl, interceptors });
    const web = createGrpcWebTransport({ baseUrl: url, httpVersion: "1.1", interceptors });
    const play = (transport: Transport) =>
      createClient(PlaybackService, transport).authorizePlayback(
        { videoId: "video-match-2026-104" },
        { headers: forged },
      );
    await expect(play(direct)).rejects.toMatchObject({ code: Code.PermissionDenied });
    for (const transport of [passed, web]) expect((await play(transport)).playlistUrl).not.toBe("");
    await createClient(Health, passed).check({}, { headers: forged });
    await expect
      .poll(() => captured.lines.filter(({ path }) => path === PROCEDURES.checkHealth))
      .toMatchObject([{ remote: "127.0.0.1" }]);
  });
});
