import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseNetwork } from "../../../src/network/ip-address.ts";
import type { ServerOptions } from "../../../src/server.ts";
import { getUrl, PROCEDURES } from "../../harness/calls.ts";
import { captureLog } from "../../harness/captured-log.ts";
import { createFolder } from "../../harness/folder.ts";
import { send } from "../../harness/http.ts";
import { connectHttp2, requestHttp2 } from "../../harness/http2.ts";
import { type Marquee, startMarquee } from "../../harness/marquee.ts";
import { writeMmdb } from "../../harness/mmdb-file.ts";
import { type PlaybackService, startPlaybackService } from "../../playback/playback-service.ts";
import { callRest } from "../studio.ts";

const FINAL = "match-2026-104";
const GERMAN = "203.0.113.7";
const FRENCH = "198.51.100.7";
const COUNTRY = "x-country";

const captured = captureLog();
const services: Marquee[] = [];
const folder = createFolder();
const country = (code: string) => ({ country: { iso_code: code } });
const entries = {
  "203.0.113.0/24": country("DE"),
  "198.51.100.0/24": country("FR"),
  "2001:db8::/32": country("DE"),
};
writeFileSync(join(folder.path, "country.mmdb"), writeMmdb(entries));
const anonymousIpDatabase = join(folder.path, "anonymous-ip.mmdb");
writeFileSync(anonymousIpDatabase, writeMmdb({ "198.51.100.0/24": { is_anonymous: true } }));
afterAll(async () => {
  for (const service of services) await service.close();
  folder.remove();
});

/** Starts a service whose final is kept from Germany. */
async function start(options: Partial<ServerOptions>): Promise<Marquee> {
  const marquee = await startMarquee({
    log: captured.log,
    ...options,
    location: { countryDatabase: join(folder.path, "country.mmdb"), ...options.location },
  });
  services.push(marquee);
  const got = await callRest(marquee, "POST", "streaming/video_protection/v2/rulesets", {
    ...{ project_id: "worldcup", name: "not in Germany", priority: "1000" },
    geo_restrictions_disallow: { country_codes: ["DE"] },
    target: { event_ids: [FINAL] },
  });
  expect(got.status, got.text).toBe(200);
  return marquee;
}

const PATH = getUrl(PROCEDURES.listEvents, {
  filter: `id: ${FINAL}`,
  excludeGeoblocked: true,
});

async function isShown({ url, keys }: Marquee, headers: Record<string, string>) {
  const got = await send("GET", url + PATH, { token: keys.public, headers });
  expect(got.status, got.text).toBe(200);
  expect(got.headers.get("cache-control")).toBe("private, no-store");
  return got.text.includes(FINAL);
}

const LOOPBACK = [parseNetwork("127.0.0.0/8") ?? expect.fail()];
const ELSEWHERE = [parseNetwork("10.0.0.0/8") ?? expect.fail()];

describe("behind a trusted proxy", () => {
  let marquee: Marquee;
  beforeAll(async () => {
    marquee = await start({ location: { trustedProxies: LOOPBACK, countryHeader: COUNTRY } });
  });

  const cases: readonly (readonly [string, Record<string, string>, boolean])[] = [
    ["a German address", { "x-forwarded-for": GERMAN }, false],
    ["a German address of IPv6", { "x-forwarded-for": "[2001:DB8::1]:99" }, false],
    ["a French address", { "x-forwarded-for": FRENCH }, true],
    ["a German who says French", { "x-forwarded-for": `${FRENCH}, ${GERMAN}` }, false],
    ["no address", {}, true],
    ["a German by the header", { [COUNTRY]: "de", "x-forwarded-for": FRENCH }, false],
    ["a French by the header", { [COUNTRY]: "FR", "x-forwarded-for": GERMAN }, true],
    ["a French by the header in lower case", { [COUNTRY]: "fr", "x-forwarded-for": GERMAN }, true],
    ...["XX", "zz", "T1", "FRA", "FR, FR", ""].map(
      (code) =>
        [`'${code}' by the header`, { [COUNTRY]: code, "x-forwarded-for": GERMAN }, false] as const,
    ),
  ];
  for (const [name, headers, want] of cases) {
    test(name, async () => expect(await isShown(marquee, headers)).toBe(want));
  }

  test("the client's address is in the log, over both versions of HTTP and from memory", async () => {
    const path = getUrl(PROCEDURES.listEvents, { pageSize: 1 });
    const authorization = `Bearer ${marquee.keys.public}`;
    const ids = ["place-1", "place-2", "place-3"];
    for (const [index, id] of ids.entries()) {
      const headers = {
        authorization,
        "x-request-id": id,
        "x-forwarded-for": `1.1.1.1, 203.0.113.${index}`,
      };
      if (index < 2) await send("GET", marquee.url + path, { headers });
      else {
        const session = await connectHttp2(marquee.url);
        await requestHttp2(session, { ":method": "GET", ":path": path, ...headers });
        session.close();
      }
    }
    await expect
      .poll(() => ids.map((id) => captured.lines.find((it) => it.request_id === id)?.remote))
      .toEqual(["203.0.113.0", "203.0.113.1", "203.0.113.2"]);
  });
});

describe("whether a viewer uses a VPN", () => {
  const location = { trustedProxies: LOOPBACK, vpnHeader: "X-Vpn", anonymousIpDatabase };
  let service: PlaybackService;
  beforeAll(async () => {
    service = await startPlaybackService({ location });
  });
  afterAll(() => service.close());

  test.each<[header: string | undefined, address: string, isRejected: boolean]>([
    [undefined, FRENCH, true],
    [undefined, GERMAN, false],
    ["true", GERMAN, true],
    ["TRUE", GERMAN, true],
    ["1", GERMAN, true],
    ["false", FRENCH, false],
    ["0", FRENCH, false],
    ["yes", FRENCH, true],
    ["false, true", FRENCH, true],
    ["", FRENCH, true],
  ])("by the header '%s', or else by the address %s: %s", async (header, address, isRejected) => {
    const headers = {
      "x-forwarded-for": address,
      ...(header !== undefined && { "x-vpn": header }),
    };
    const got = await service.call("AuthorizePlayback", { videoId: "video-vpn" }, { headers });
    expect(got.status, got.text).toBe(isRejected ? 403 : 200);
  });
});

test("a peer that is no trusted proxy says nothing of a viewer", async () => {
  const marquee = await start({ location: { trustedProxies: ELSEWHERE, countryHeader: COUNTRY } });
  for (const headers of [{ "x-forwarded-for": GERMAN }, { [COUNTRY]: "DE" }]) {
    expect(await isShown(marquee, headers)).toBe(true);
  }
  const id = "place-spoofed";
  const headers = { "x-request-id": id, "x-forwarded-for": GERMAN };
  await send("GET", `${marquee.url}/healthz`, { headers });
  await expect
    .poll(() => captured.lines.find((it) => it.request_id === id)?.remote)
    .toBe("127.0.0.1");
});

test("without trusted proxies X-Forwarded-For is not read, the named header is, and it is reported", async () => {
  const isLogged = () =>
    captured.lines.some(({ msg }) => String(msg).includes("--trusted-proxies"));
  expect(isLogged()).toBe(false);
  const marquee = await start({ location: { countryHeader: COUNTRY } });
  expect(isLogged()).toBe(true);
  expect(await isShown(marquee, { "x-forwarded-for": GERMAN })).toBe(true);
  expect(await isShown(marquee, { [COUNTRY]: "DE" })).toBe(false);
});

test("a simulated address is looked up as a viewer's is", async () => {
  const marquee = await start({});
  const decide = async (ip_address: string) => {
    const body = { project_id: "worldcup", video_id: `video-${FINAL}`, viewer: { ip_address } };
    const path = "streaming/video_protection/v2/rulesets:simulate";
    const got = await callRest(marquee, "POST", path, body);
    return [got.json.decision, got.json.reason];
  };
  expect(await decide(GERMAN)).toEqual(["DECISION_DENY", "GEO_NOT_ALLOWED"]);
  expect(await decide(FRENCH)).toEqual(["DECISION_ALLOW", ""]);
});
