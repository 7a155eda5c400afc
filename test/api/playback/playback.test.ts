import { create, toJson } from "@bufbuild/protobuf";
import { DurationSchema, timestampDate } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { EntitlementSchema } from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import {
  OfferSchema,
  OfferScopeSchema,
} from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { PlaybackService as Service } from "../../../gen/svc/cda/streaming/playback/v1/playback_service_pb.ts";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { VideoSchema } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { openPlaylistUrls } from "../../../src/auth/playlist-url.ts";
import { Code, DomainError } from "../../../src/domain/base/errors.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { type HttpResponse, metadataOf, reasonOf, rejection } from "../../harness/http.ts";
import { override } from "../../harness/override.ts";
import { TRANSPORTS } from "../../harness/transports.ts";
import { type CallOrigin, startPlaybackService } from "../../playback/playback-service.ts";

/** Why viewer tokens cannot be checked; undefined: they can. */
let uncheckable: Error | undefined;
const service = await startPlaybackService({}, { wrap: (store) => failingToCheck(store) });
const viewer = await service.signIn("viewer-1");
afterAll(() => service.close());

const METHODS = ["AuthorizePlayback", "KeepPlayback", "StopPlayback"] as const;
type Method = (typeof METHODS)[number];
const ask = (method: Method, videoId: string, origin: CallOrigin = {}, sessionKey = "session-1") =>
  service.call(method, { videoId, sessionKey }, origin);
const authorize = (videoId: string, origin?: CallOrigin, sessionKey?: string) =>
  ask("AuthorizePlayback", videoId, origin, sessionKey);
const from = (headers: Readonly<Record<string, string>>): CallOrigin => ({ headers });
const withCookies = (cookie: string) => from({ cookie });
/** Cookies that hold the token, none of them under the name that counts. */
const OTHERS = ["viewer_token2", "xviewer_token", "Viewer_Token"]
  .map((name) => `${name}=${viewer}`)
  .join("; ")
  .concat("; viewer_token; viewer_token1");
const tokenOf = ({ json }: HttpResponse): string =>
  URL.parse(json.playlistUrl)?.searchParams.get("playback_token") ?? "";

/** Asks as an edge server does, for the playlist itself. */
async function verify(got: HttpResponse, address = "192.0.2.1", now = service.now()) {
  const url = URL.parse(got.json.playlistUrl);
  const urls = await openPlaylistUrls(service.store.secrets);
  return urls.verify({
    projectId: "alpha",
    path: url?.pathname ?? "",
    host: url?.host ?? "",
    tokens: [tokenOf(got)],
    address,
    now,
  });
}

/** A store that fails when a viewer token is checked against it, on demand. */
function failingToCheck(store: Store): Store {
  const findProjectUid = (id: string) =>
    uncheckable === undefined ? store.access.findProjectUid(id) : Promise.reject(uncheckable);
  return override(store, { access: override(store.access, { findProjectUid }) });
}

describe("playback is allowed", () => {
  const [CUP, SITE] = ["https://worldcup.example", "https://www.worldcup.example/final"];
  const all = { "x-country": "DE", "x-vpn": "false", referer: CUP };
  const cases: readonly (readonly [what: string, video: string, origin: CallOrigin])[] = [
    ["where no ruleset applies", "open", {}],
    ["in a country of the list", "geo", from({ "x-country": "at" })],
    ["without a VPN", "vpn", from({ "x-vpn": "0" })],
    ["where nothing is known of a VPN", "vpn", {}],
    ["on a site of the list", "domains", from({ referer: SITE })],
    ["without a referrer", "domains", {}],
    ["with a token in Authorization", "authenticated", { token: viewer }],
    ["with a token in the cookie", "authenticated", withCookies(`viewer_token=${viewer}`)],
    [
      "with a cookie among others",
      "authenticated",
      withCookies(`a=b; viewer_token=${viewer};c="d"`),
    ],
    ["with a cookie in quotes", "authenticated", withCookies(`viewer_token="${viewer}"`)],
    [
      "with the first of two cookies",
      "authenticated",
      withCookies(`viewer_token=${viewer}; viewer_token=x`),
    ],
    ["with an entitlement", "entitled", { token: viewer }],
    ["by all rules at once", "strict", { token: viewer, headers: all }],
    ["with DRM off", "no-drm", {}],
  ];
  for (const [what, video, origin] of cases) {
    const rulesetId = video === "open" ? undefined : `ruleset-${video}`;
    test(what, async () => {
      const got = await authorize(`video-${video}`, origin);
      expect(got.status, got.text).toBe(200);
      expect(got.json.rulesetId).toBe(rulesetId);
      expect(got.json).toMatchObject({ sessionKey: "session-1", keepAliveInterval: "30s" });
      expect(got.json.playlistUrl).toMatch(
        `https://media.example/alpha/${video}/playlist.m3u8?playback_token=`,
      );
      expect(got.headers.get("cache-control")).toBe("private, no-store");
      expect(await verify(got)).toMatchObject({
        kind: "allow",
        sessionKey: "session-1",
        expireTime: new Date(got.json.expireTime),
      });
    });
  }

  test("and DRM is handed on as the ruleset says it", async () => {
    const want = { enabled: true, hwsMinimumQuality: 720, splitKeys: true };
    expect((await authorize("video-drm")).json.drm).toEqual(want);
    expect((await authorize("video-no-drm")).json.drm).toEqual({});
    expect((await authorize("video-open")).json).not.toHaveProperty("drm");
  });

  test("for the viewer's address alone where hotlinking is not", async () => {
    const bound = await authorize("video-bound");
    expect(await verify(bound)).toMatchObject({ kind: "allow" });
    expect(await verify(bound, "192.0.2.2")).toEqual({ kind: "deny", reason: "ADDRESS_NOT_BOUND" });
    const free = await authorize("video-open");
    expect(await verify(free, "192.0.2.2")).toMatchObject({ kind: "allow" });
  });

  test("for six hours, or where streams are counted for five minutes beyond the interval", async () => {
    const lastsOf = ({ json }: HttpResponse) =>
      Date.parse(json.expireTime) - service.now().getTime();
    expect(lastsOf(await authorize("video-entitled", { token: viewer }))).toBe(6 * 3_600_000);
    expect(lastsOf(await authorize("video-counted", { token: viewer }))).toBe(330_000);
  });
});

describe("a playlist URL ends", () => {
  const HOURS = 6 * 3_600;
  const { documents, entitlementAdmin } = service.store.in("acme");
  const at = (seconds: number) => ({
    seconds: BigInt(service.now().getTime() / 1_000 + seconds),
  });

  /** Gives users access to everything for so many seconds; undefined: for good. */
  const give = (userId: string, ...ends: readonly (number | undefined)[]) =>
    Promise.all(
      ends.map((seconds, index) =>
        entitlementAdmin.create(
          create(EntitlementSchema, {
            ...{ id: `${userId}-${index}`, projectId: "alpha", userId, offerId: "offer-all" },
            startTime: at(-60),
            ...(seconds !== undefined && { endTime: at(seconds) }),
          }),
        ),
      ),
    );

  beforeAll(async () => {
    await give("a-minute", 60);
    await give("longer", 60, 90);
    await give("for-good", 60, undefined);
    await documents.video.create(
      create(VideoSchema, {
        ...{ id: "video-soon", projectId: "alpha" },
        playlistUrl: "https://media.example/alpha/soon/playlist.m3u8",
      }),
    );
    await documents.event.create(
      create(EventSchema, {
        ...{ id: "soon", projectId: "alpha", videoIds: ["video-soon"], startTime: at(60) },
      }),
    );
    const ruleset = create(VideoProtectionRulesetSchema, {
      ...{ id: "ruleset-soon", projectId: "alpha", name: "until it begins" },
      applicability: { case: "filter", value: { filterEvents: "id: soon and start_time > now" } },
    });
    await documents.ruleset.create(ruleset);
  });

  test.each<[what: string, video: string, token: () => Promise<string | undefined>, want: number]>([
    ["with the viewer token", "authenticated", () => service.signIn("u", "public", 60), 60],
    [
      "after hours, if no viewer is required",
      "open",
      () => service.signIn("u", "public", 60),
      HOURS,
    ],
    ["with the entitlement", "entitled", () => service.signIn("a-minute"), 60],
    ["with the last of the entitlements", "entitled", () => service.signIn("longer"), 90],
    ["after hours, if one does not end", "entitled", () => service.signIn("for-good"), HOURS],
    ["with the entitlement, if streams count", "counted", () => service.signIn("a-minute"), 60],
    ["after hours, if none is required", "authenticated", () => service.signIn("a-minute"), HOURS],
    ["with a ruleset that reads now", "soon", async () => undefined, 60],
  ])("%s", async (_, video, signIn, want) => {
    const token = await signIn();
    for (const method of METHODS.slice(0, 2)) {
      const got = await ask(method, `video-${video}`, { ...(token !== undefined && { token }) });
      expect(got.status, got.text).toBe(200);
      const end = new Date(got.json.expireTime);
      expect(end.getTime() - service.now().getTime()).toBe(want * 1_000);
      const before = new Date(end.getTime() - 1);
      expect(await verify(got, "192.0.2.1", before)).toMatchObject({ kind: "allow" });
      expect(await verify(got, "192.0.2.1", end)).toEqual({ kind: "deny", reason: "URL_EXPIRED" });
    }
  });
});

const GEO = "GEO_NOT_ALLOWED geo_restrictions";
const ANONYMOUS = "AUTHENTICATION_REQUIRED require_authentication";
const UNENTITLED = "ENTITLEMENT_REQUIRED require_entitlement";
const EVIL = "https://worldcup.example.evil.example";

describe("playback is rejected", () => {
  const by = (userId: string) => async () => ({ token: await service.signIn(userId) });
  const at = (headers: Readonly<Record<string, string>>) => async () => from(headers);
  test.each<[what: string, video: string, origin: () => Promise<CallOrigin>, want: string]>([
    ["in a country that is not on the list", "geo", at({ "x-country": "US" }), GEO],
    ["in an unknown country, by a list", "geo", at({}), GEO],
    ["over a VPN", "vpn", at({ "x-vpn": "true" }), "VPN_NOT_ALLOWED disallow_vpn_usage"],
    ["on another site", "domains", at({ referer: EVIL }), "DOMAIN_NOT_ALLOWED domain_restrictions"],
    ["without a token", "authenticated", at({}), ANONYMOUS],
    ["with an empty cookie", "authenticated", at({ cookie: "viewer_token=" }), ANONYMOUS],
    ["with a token in cookies of other names", "authenticated", at({ cookie: OTHERS }), ANONYMOUS],
    ["without a token, where an entitlement is needed too", "entitled", at({}), ANONYMOUS],
    ["to who bought nothing", "entitled", by("nobody"), UNENTITLED],
    ["to who bought something else", "entitled", by("viewer-2"), UNENTITLED],
    ["to whose access has ended", "entitled", by("late"), UNENTITLED],
    ["by the first of several rules", "strict", at({ "x-country": "US", "x-vpn": "1" }), GEO],
  ])("%s", async (_, video, origin, want) => {
    const [reason, rule] = want.split(" ");
    for (const method of METHODS.slice(0, 2)) {
      const got = await ask(method, `video-${video}`, await origin());
      const isAnonymous = want === ANONYMOUS;
      const code = isAnonymous ? "unauthenticated" : "permission_denied";
      expect([...rejection(got), got.json.code]).toEqual([isAnonymous ? 401 : 403, reason, code]);
      const offers = want === UNENTITLED && { offer_ids: "offer-all" };
      expect(metadataOf(got)).toEqual({ ruleset_id: `ruleset-${video}`, rule, ...offers });
      expect(got.headers.get("cache-control")).toBe("no-store");
      expect(got.headers.get("www-authenticate")).toBe(isAnonymous ? "Bearer" : null);
      expect(got.text).not.toContain("media.example");
    }
  });

  test.each([
    ["US", "the video does not play in the viewer's country"],
    ["", "the video plays in some countries, and the viewer's is unknown"],
  ])("from the country '%s' with its own message", async (country, message) => {
    const origin = from(country === "" ? {} : { "x-country": country });
    expect((await authorize("video-geo", origin)).json.message).toBe(message);
  });

  test("as if the video did not exist, also to a token of another project", async () => {
    const token = await service.signIn("viewer-1", "sandbox");
    for (const got of [
      await authorize("video-none"),
      await authorize("video-elsewhere"),
      await authorize("'; --"),
      await authorize("video-open", { token }),
    ]) {
      expect([...rejection(got), got.json.code]).toEqual([404, "RESOURCE_NOT_FOUND", "not_found"]);
    }
    expect((await authorize("video-elsewhere", { token })).status).toBe(200);
  });

  test("without a playlist, and no stream is taken", async () => {
    const got = await authorize("video-broken", { token: viewer }, "broken");
    expect(rejection(got)).toEqual([400, "PLAYLIST_URL_INVALID"]);
    const claim = { projectId: "alpha", userId: "viewer-1", videoId: "v", limit: 1 };
    const times = { now: service.now(), expireTime: new Date(service.now().getTime() + 1) };
    await ask("StopPlayback", "", { token: viewer });
    const result = await service.store.leases.claim({ ...claim, ...times, sessionKey: "probe" });
    expect(result).toEqual({ kind: "held" });
  });
});

describe("a viewer token that does not hold", () => {
  const forged = `${viewer.slice(0, -4)}AAAA`;
  const foreign = () => service.signIn("viewer-1", "sandbox");
  let stale: string;
  beforeAll(async () => {
    stale = await service.signIn("viewer-1", "public", 30);
    service.pass(30_000);
  });

  describe.each<[string, reason: string, () => string | Promise<string>]>([
    ["a forged one", "SIGNATURE_INVALID", () => forged],
    ["no JWT", "TOKEN_MALFORMED", () => "abc"],
    ["one of another project", "AUDIENCE_NOT_ALLOWED", foreign],
    ["one that has ended", "TOKEN_EXPIRED", () => stale],
  ])("in the cookie, %s: %s", (_, reason, make) => {
    const withCookie = async (headers = {}) =>
      from({ cookie: `a=b; viewer_token=${await make()}`, ...headers });
    const ignored = "ignoredViewerTokenReason";

    test("counts as none where nothing asks for a viewer, and each method says so", async () => {
      for (const method of METHODS) {
        const got = await ask(method, "video-open", await withCookie());
        expect([got.status, got.json[ignored]], got.text).toEqual([200, reason]);
        expect(got.headers.get("cache-control")).toBe("private, no-store");
        expect((await ask(method, "video-open")).json).not.toHaveProperty(ignored);
      }
      for (const video of ["vpn", "bound", "domains", "drm", "no-drm"]) {
        const got = await authorize(`video-${video}`, await withCookie());
        expect([video, got.status]).toEqual([video, 200]);
      }
      const geo = await authorize("video-geo", await withCookie({ "x-country": "US" }));
      expect(rejection(geo)).toEqual([403, "GEO_NOT_ALLOWED"]);
      expect(metadataOf(geo)?.ignored_viewer_token_reason).toBe(reason);
    });

    test("is why a video that asks for a viewer is rejected", async () => {
      for (const video of ["authenticated", "entitled", "counted"]) {
        for (const method of METHODS.slice(0, 2)) {
          const got = await ask(method, `video-${video}`, await withCookie());
          expect(rejection(got)).toEqual([401, reason]);
          const rule = { ruleset_id: `ruleset-${video}`, rule: "require_authentication" };
          expect(metadataOf(got)).toMatchObject(rule);
          expect(got.headers.get("www-authenticate")).toBe("Bearer");
          expect(got.headers.get("cache-control")).toBe("no-store");
        }
      }
    });

    test("is not looked at beside one in Authorization that holds", async () => {
      const { headers = {} } = await withCookie();
      for (const video of ["open", "entitled"]) {
        const got = await authorize(`video-${video}`, { token: viewer, headers });
        expect([video, got.status]).toEqual([video, 200]);
        expect(got.json).not.toHaveProperty(ignored);
      }
    });
  });

  test("in Authorization, in the place of the public key, is rejected by each method", async () => {
    for (const [token, reason] of [
      [forged, "SIGNATURE_INVALID"],
      [stale, "TOKEN_EXPIRED"],
    ] as const) {
      for (const method of METHODS) {
        const headers = { cookie: `viewer_token=${viewer}` };
        const got = await ask(method, "video-open", { token, headers });
        expect(rejection(got)).toEqual([401, reason]);
        expect(got.headers.get("www-authenticate")).toBe("Bearer");
      }
    }
  });

  test.each([
    ["an unforeseen error", new Error("broken"), [500, "INTERNAL"]],
    [
      "a database that is away",
      new DomainError(Code.UNAVAILABLE, "DATABASE_UNAVAILABLE", "database unavailable"),
      [503, "DATABASE_UNAVAILABLE"],
    ],
  ] as const)("is not one that cannot be checked: the call fails by %s", async (_, error, want) => {
    uncheckable = error;
    const got = await authorize("video-open", withCookies(`viewer_token=${viewer}`));
    uncheckable = undefined;
    expect(rejection(got)).toEqual(want);
  });

  test("gives no stream back, nor takes one", async () => {
    service.pass(91_000);
    const stolen = from({ cookie: `viewer_token=${stale}` });
    await authorize("video-counted", { token: viewer }, "first");
    await authorize("video-counted", { token: viewer }, "second");
    expect((await ask("StopPlayback", "", stolen, "first")).status).toBe(200);
    const got = await authorize("video-counted", { token: viewer }, "third");
    expect([got.status, metadataOf(got)?.session_keys]).toEqual([429, "first,second"]);
    service.pass(91_000);
  });
});

describe("a rejection for want of an entitlement", () => {
  const deny = async (videoId: string, origin: CallOrigin, method?: Method) => {
    const got = await ask(method ?? "AuthorizePlayback", videoId, origin);
    expect(rejection(got)).toEqual([403, "ENTITLEMENT_REQUIRED"]);
    return metadataOf(got)?.offer_ids;
  };

  test("names the offers that would open the video, and no others", async () => {
    const nobody = { token: await service.signIn("nobody") };
    expect(await deny("video-entitled", nobody)).toBe("offer-all");
    expect(await deny("video-counted", nobody)).toBe("offer-all,offer-event");
    const offers = await deny("video-counted", nobody, "KeepPlayback");
    expect(offers).toBe("offer-all,offer-event");
  });

  test("names no offer that is not shown, but to a preview key", async () => {
    const cookie = `viewer_token=${await service.signIn("nobody")}`;
    expect(await deny("video-entitled", from({ cookie }))).toBe("offer-all");
    const preview = { token: service.keys.preview, headers: { cookie } };
    expect(await deny("video-entitled", preview)).toBe("offer-all,offer-hidden");
  });

  test("names what is new at once, at most 20", async () => {
    const nobody = { token: await service.signIn("nobody") };
    const ids = Array.from({ length: 25 }, (_, index) => `new-${10 + index}`);
    for (const id of ids) {
      await service.store.in("acme").documents.offer.create(
        create(OfferSchema, {
          ...{ id, projectId: "alpha", visibility: Visibility.PUBLISHED, position: 7 },
          opens: { videoIds: ["video-entitled"] },
        }),
      );
      if (id === ids[0]) expect(await deny("video-entitled", nobody)).toBe(`offer-all,${id}`);
    }
    expect(await deny("video-entitled", nobody)).toBe(["offer-all", ...ids].slice(0, 20).join());
    for (const id of ids)
      await service.store.in("acme").documents.offer.delete(id, () => undefined);
    expect(await deny("video-entitled", nobody)).toBe("offer-all");
  });

  test("has no list where no offer opens the video", async () => {
    const offers = ["offer-all", "offer-hidden"];
    const other = await startPlaybackService();
    for (const id of offers)
      await other.store.in("acme").documents.offer.delete(id, () => undefined);
    const token = await other.signIn("nobody");
    const got = await other.call("AuthorizePlayback", { videoId: "video-entitled" }, { token });
    expect(metadataOf(got)).toEqual({
      ...{ ruleset_id: "ruleset-entitled", rule: "require_entitlement" },
    });
    await other.close();
  });
});

describe("a video that a thousand events show", () => {
  test("is protected, opened and offered by the 1,001st of them", async () => {
    const other = await startPlaybackService();
    const { documents } = other.store.in("acme");
    const events = Array.from({ length: 1_001 }, (_, index) =>
      create(EventSchema, {
        ...{ id: `many-${10_000 + index}`, projectId: "alpha", videoIds: ["video-open"] },
        startTime: { seconds: BigInt(index) },
      }),
    );
    await other.store.importRecords([
      events.map((message, line) => ({ kind: "event", message, line })),
    ]);
    const last = "many-11000";
    const asked = (token?: string) =>
      other.call("AuthorizePlayback", { videoId: "video-open" }, token ? { token } : {});
    expect((await asked()).status).toBe(200);
    await documents.ruleset.create(
      create(VideoProtectionRulesetSchema, {
        ...{ id: "of-last", projectId: "alpha", name: "n" },
        ...{ requireAuthentication: true, requireEntitlement: true },
        applicability: { case: "filter", value: { filterEvents: `id: ${last}` } },
      }),
    );
    expect(reasonOf(await asked())).toBe("AUTHENTICATION_REQUIRED");
    await documents.offer.update("offer-event", ({ value }) => ({
      ...value,
      opens: create(OfferScopeSchema, { eventIds: [last] }),
    }));
    const rejected = await asked(await other.signIn("nobody"));
    expect(metadataOf(rejected)?.offer_ids).toBe("offer-all,offer-event");
    expect((await asked(await other.signIn("viewer-2"))).status).toBe(200);
    await other.close();
  });
});

describe("a session key", () => {
  test.each([undefined, ""])("is made for %j, another each time", async (sessionKey) => {
    const message = { videoId: "video-open", sessionKey };
    const one = await service.call("AuthorizePlayback", message);
    const two = await service.call("AuthorizePlayback", message);
    expect(one.json.sessionKey).toMatch(/^[0-9a-f-]{36}$/);
    expect(one.json.sessionKey).not.toBe(two.json.sessionKey);
  });

  test.each(["a", "x".repeat(128), "A-Z_0.9~"])("%s is taken and given back", async (key) => {
    expect((await authorize("video-open", {}, key)).json.sessionKey).toBe(key);
  });

  const videoId = "video-open";
  test.each([
    ...["x".repeat(129), "a b", "a,b", "ä", "a/b", "a\n", "'"].flatMap((sessionKey) =>
      METHODS.map(
        (it) => [it, { videoId, sessionKey }, "SESSION_KEY_INVALID", "session_key"] as const,
      ),
    ),
    ["AuthorizePlayback", { sessionKey: "a" }, "FIELD_REQUIRED", "video_id"],
    ["KeepPlayback", { sessionKey: "a" }, "FIELD_REQUIRED", "video_id"],
    ["KeepPlayback", { videoId }, "FIELD_REQUIRED", "session_key"],
    ["StopPlayback", {}, "FIELD_REQUIRED", "session_key"],
  ] as const)("%s of %j is rejected: %s %s", async (method, message, reason, field) => {
    const got = await service.call(method, message);
    expect([...rejection(got), metadataOf(got)?.field]).toEqual([400, reason, field]);
  });
});

describe("on the wire", () => {
  for (const { name, create: createTransport } of TRANSPORTS.filter(
    (it) => !it.name.includes("br"),
  )) {
    test(`${name} authorizes, keeps, stops and rejects`, async () => {
      const client = createClient(Service, createTransport(service.url, viewer));
      const session = { videoId: "video-counted", sessionKey: "wire" };
      const granted = await client.authorizePlayback(session);
      expect(granted.rulesetId).toBe("ruleset-counted");
      const kept = await client.keepPlayback(session);
      expect(kept.keepAliveInterval && toJson(DurationSchema, kept.keepAliveInterval)).toBe("30s");
      expect(kept.expireTime && timestampDate(kept.expireTime)).toEqual(
        granted.expireTime && timestampDate(granted.expireTime),
      );
      await client.stopPlayback({ sessionKey: "wire" });
      await expect(client.authorizePlayback({ videoId: "video-geo" })).rejects.toMatchObject({
        code: 7,
      });
    });
  }
});
