import { create, toJson } from "@bufbuild/protobuf";
import { DurationSchema, timestampDate } from "@bufbuild/protobuf/wkt";
import { createClient } from "@connectrpc/connect";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import {
  OfferSchema,
  OfferScopeSchema,
} from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { PlaybackService as Service } from "../../../gen/svc/cda/streaming/playback/v1/playback_service_pb.ts";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { openPlaylistUrls } from "../../../src/auth/playlist-url.ts";
import { connectHeaders } from "../../harness/calls.ts";
import { frame, webTrailers } from "../../harness/grpc-frame.ts";
import { type HttpAnswer, metadataOf, reasonOf, refusal, send } from "../../harness/http.ts";
import { TRANSPORTS } from "../../harness/transports.ts";
import { type CallOrigin, pathOf, startPlaybackService } from "../../playback/playback-service.ts";

const service = await startPlaybackService();
const viewer = await service.signIn("viewer-1");
afterAll(() => service.close());

const authorize = (videoId: string, origin: CallOrigin = {}, sessionKey = "session-1") =>
  service.call("AuthorizePlayback", { videoId, sessionKey }, origin);
const from = (headers: Readonly<Record<string, string>>): CallOrigin => ({ headers });
const tokenOf = ({ json }: HttpAnswer): string =>
  URL.parse(json.playlistUrl)?.searchParams.get("playback_token") ?? "";

/** Asks as an edge server does, for the playlist itself. */
async function verify(got: HttpAnswer, address = "192.0.2.1") {
  const url = URL.parse(got.json.playlistUrl);
  const urls = await openPlaylistUrls(service.store.secrets);
  return urls.verify({
    projectId: "alpha",
    path: url?.pathname ?? "",
    host: url?.host ?? "",
    tokens: [tokenOf(got)],
    address,
    now: service.now(),
  });
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
    ["with a token in the cookie", "authenticated", from({ cookie: `viewer_token=${viewer}` })],
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
    const lastsOf = ({ json }: HttpAnswer) => Date.parse(json.expireTime) - service.now().getTime();
    expect(lastsOf(await authorize("video-entitled", { token: viewer }))).toBe(6 * 3_600_000);
    expect(lastsOf(await authorize("video-counted", { token: viewer }))).toBe(330_000);
  });

  test("until a whole second, also within one", async () => {
    service.pass(400);
    const got = await authorize("video-open");
    expect(got.json.expireTime).toMatch(/:\d\dZ$/);
    expect(await verify(got)).toMatchObject({ expireTime: new Date(got.json.expireTime) });
    service.pass(600);
  });
});

const GEO = "403 GEO_NOT_ALLOWED geo_restrictions";
const ANONYMOUS = "401 AUTHENTICATION_REQUIRED require_authentication";
const UNENTITLED = "403 ENTITLEMENT_REQUIRED require_entitlement";

describe("playback is refused", () => {
  const by = async (userId: string) => ({ token: await service.signIn(userId) });
  type Refusal = [
    what: string,
    video: string,
    origin: () => CallOrigin | Promise<CallOrigin>,
    want: string,
  ];
  const cases: readonly Refusal[] = [
    ["in a country that is not on the list", "geo", () => from({ "x-country": "US" }), GEO],
    ["in an unknown country, by a list", "geo", () => ({}), GEO],
    [
      ...(["over a VPN", "vpn", () => from({ "x-vpn": "true" })] as const),
      "403 VPN_NOT_ALLOWED disallow_vpn_usage",
    ],
    [
      ...(["on another site", "domains"] as const),
      () => from({ referer: "https://worldcup.example.evil.example" }),
      "403 DOMAIN_NOT_ALLOWED domain_restrictions",
    ],
    ["without a token", "authenticated", () => ({}), ANONYMOUS],
    ["without a token, where an entitlement is needed too", "entitled", () => ({}), ANONYMOUS],
    ["to who bought nothing", "entitled", () => by("nobody"), UNENTITLED],
    ["to who bought something else", "entitled", () => by("viewer-2"), UNENTITLED],
    ["to whose access has ended", "entitled", () => by("late"), UNENTITLED],
    [
      "by the first of several rules",
      "strict",
      () => from({ "x-country": "US", "x-vpn": "1" }),
      GEO,
    ],
  ];
  for (const [what, video, origin, want] of cases) {
    const [status, reason, rule] = want.split(" ");
    for (const method of ["AuthorizePlayback", "KeepPlayback"] as const) {
      test(`${what}, by ${method}`, async () => {
        const message = { videoId: `video-${video}`, sessionKey: "session-1" };
        const got = await service.call(method, message, await origin());
        const code = status === "401" ? "unauthenticated" : "permission_denied";
        expect([got.status, got.json.code, reasonOf(got)]).toEqual([Number(status), code, reason]);
        const offers = reason === "ENTITLEMENT_REQUIRED" && { offer_ids: "offer-all" };
        expect(metadataOf(got)).toEqual({ ruleset_id: `ruleset-${video}`, rule, ...offers });
        expect(got.headers.get("cache-control")).toBe("no-store");
        expect(got.headers.get("www-authenticate")).toBe(status === "401" ? "Bearer" : null);
        expect(got.text).not.toContain("media.example");
      });
    }
  }

  for (const videoId of ["video-none", "video-elsewhere", "VIDEO-open", "'; --"]) {
    test(`as if it did not exist: ${videoId}`, async () => {
      const got = await authorize(videoId);
      expect([got.status, got.json.code, reasonOf(got)]).toEqual([
        ...[404, "not_found", "RESOURCE_NOT_FOUND"],
      ]);
    });
  }

  test("to a token of another project, as if the video did not exist", async () => {
    const token = await service.signIn("viewer-1", "sandbox");
    expect((await authorize("video-open", { token })).status).toBe(404);
    expect((await authorize("video-elsewhere", { token })).status).toBe(200);
  });

  test("without a playlist, and no stream is taken", async () => {
    expect(refusal(await authorize("video-broken", { token: viewer }, "broken"))).toEqual([
      400,
      "PLAYLIST_URL_INVALID",
    ]);
    const claim = { projectId: "alpha", userId: "viewer-1", videoId: "v", limit: 1 };
    const times = { now: service.now(), expireTime: new Date(service.now().getTime() + 1) };
    await service.call("StopPlayback", { sessionKey: "session-1" }, { token: viewer });
    const result = await service.store.leases.claim({ ...claim, ...times, sessionKey: "probe" });
    expect(result).toEqual({ kind: "held" });
  });
});

describe("a viewer token that does not hold", () => {
  const forge = () => `${viewer.slice(0, -4)}AAAA`;
  const METHODS = ["AuthorizePlayback", "KeepPlayback", "StopPlayback"] as const;
  const TOKENS: readonly (readonly [
    what: string,
    token: () => string | Promise<string>,
    reason: string,
  ])[] = [
    ["a forged one", forge, "SIGNATURE_INVALID"],
    ["no JWT", () => "abc", "TOKEN_MALFORMED"],
    ["half a JWT", () => viewer.split(".").slice(0, 2).join("."), "TOKEN_MALFORMED"],
    ["one of another project", () => service.signIn("viewer-1", "sandbox"), "AUDIENCE_NOT_ALLOWED"],
    [
      "one of another issuer",
      () =>
        service.identityProvider.sign({
          ...{ subject: "viewer-1", audience: "web", issueTime: service.now() },
          expireTime: new Date(service.now().getTime() + 60_000),
        }),
      "ISSUER_UNKNOWN",
    ],
    ["one that has ended", () => stale, "TOKEN_EXPIRED"],
  ];
  let stale: string;
  beforeAll(async () => {
    stale = await service.signIn("viewer-1", "public", 30);
    service.pass(30_000);
  });

  for (const [what, make, reason] of TOKENS) {
    describe(`in the cookie, ${what},`, () => {
      const withCookie = async (headers = {}) =>
        from({ cookie: `a=b; viewer_token=${await make()}`, ...headers });

      for (const method of METHODS) {
        test(`counts as none where nothing asks for a viewer, and ${method} says so`, async () => {
          const message = { videoId: "video-open", sessionKey: "session-1" };
          const got = await service.call(method, message, await withCookie());
          expect(got.status, got.text).toBe(200);
          expect(got.json.ignoredViewerTokenReason).toBe(reason);
          expect(got.headers.get("cache-control")).toBe("private, no-store");
          const clean = await service.call(method, message);
          expect(clean.json).not.toHaveProperty("ignoredViewerTokenReason");
        });
      }

      test("plays under every ruleset that asks for no viewer", async () => {
        for (const video of ["vpn", "bound", "domains", "drm", "no-drm"]) {
          const got = await authorize(`video-${video}`, await withCookie());
          expect([video, got.status]).toEqual([video, 200]);
        }
      });

      for (const video of ["authenticated", "entitled", "counted"]) {
        for (const method of ["AuthorizePlayback", "KeepPlayback"] as const) {
          test(`is why ${method} refuses video-${video}`, async () => {
            const message = { videoId: `video-${video}`, sessionKey: "session-1" };
            const got = await service.call(method, message, await withCookie());
            expect([got.status, got.json.code, reasonOf(got)]).toEqual([
              ...[401, "unauthenticated", reason],
            ]);
            expect(metadataOf(got)).toMatchObject({
              ...{ ruleset_id: `ruleset-${video}`, rule: "require_authentication" },
            });
            expect(got.headers.get("www-authenticate")).toBe("Bearer");
            expect(got.headers.get("cache-control")).toBe("no-store");
          });
        }
      }

      test("is named by a refusal for another reason", async () => {
        const got = await authorize("video-geo", await withCookie({ "x-country": "US" }));
        expect(refusal(got)).toEqual([403, "GEO_NOT_ALLOWED"]);
        expect(metadataOf(got)).toEqual({
          ...{ ruleset_id: "ruleset-geo", rule: "geo_restrictions" },
          ignored_viewer_token_reason: reason,
        });
      });

      test("is not looked at beside one in Authorization that holds", async () => {
        const { headers } = await withCookie();
        for (const video of ["open", "entitled"]) {
          const got = await authorize(`video-${video}`, { token: viewer, headers: headers ?? {} });
          expect([video, got.status]).toEqual([video, 200]);
          expect(got.json).not.toHaveProperty("ignoredViewerTokenReason");
        }
      });
    });
  }

  for (const method of METHODS) {
    test(`in Authorization, in the place of the public key, is refused by ${method}`, async () => {
      const message = { videoId: "video-open", sessionKey: "session-1" };
      for (const [token, reason] of [
        [forge(), "SIGNATURE_INVALID"],
        [stale, "TOKEN_EXPIRED"],
      ] as const) {
        const got = await service.call(method, message, {
          ...{ token, headers: { cookie: `viewer_token=${viewer}` } },
        });
        expect([got.status, got.json.code, reasonOf(got)]).toEqual([
          ...[401, "unauthenticated", reason],
        ]);
        expect(got.headers.get("www-authenticate")).toBe("Bearer");
      }
    });
  }

  test("gives no stream back, nor takes one", async () => {
    service.pass(91_000);
    const stolen = from({ cookie: `viewer_token=${stale}` });
    const count = async () => {
      const got = await authorize("video-counted", { token: viewer }, "third");
      return [got.status, metadataOf(got)?.session_keys];
    };
    await authorize("video-counted", { token: viewer }, "first");
    await authorize("video-counted", { token: viewer }, "second");
    expect((await service.call("StopPlayback", { sessionKey: "first" }, stolen)).status).toBe(200);
    expect(await count()).toEqual([429, "first,second"]);
    service.pass(91_000);
  });
});

describe("a refusal for want of an entitlement", () => {
  const refuse = async (videoId: string, origin: CallOrigin) => {
    const got = await authorize(videoId, origin);
    expect(refusal(got)).toEqual([403, "ENTITLEMENT_REQUIRED"]);
    return metadataOf(got)?.offer_ids;
  };

  test("names the offers that would open the video, and no others", async () => {
    const nobody = { token: await service.signIn("nobody") };
    expect(await refuse("video-entitled", nobody)).toBe("offer-all");
    expect(await refuse("video-counted", nobody)).toBe("offer-all,offer-event");
    const got = await service.call(
      ...(["KeepPlayback", { videoId: "video-counted", sessionKey: "a" }, nobody] as const),
    );
    expect(metadataOf(got)?.offer_ids).toBe("offer-all,offer-event");
  });

  test("names no offer that is not shown, but to a preview key", async () => {
    const cookie = `viewer_token=${await service.signIn("nobody")}`;
    expect(await refuse("video-entitled", from({ cookie }))).toBe("offer-all");
    const preview = { token: service.keys.preview, headers: { cookie } };
    expect(await refuse("video-entitled", preview)).toBe("offer-all,offer-hidden");
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
      if (id === ids[0]) expect(await refuse("video-entitled", nobody)).toBe(`offer-all,${id}`);
    }
    expect(await refuse("video-entitled", nobody)).toBe(["offer-all", ...ids].slice(0, 20).join());
    for (const id of ids)
      await service.store.in("acme").documents.offer.delete(id, () => undefined);
    expect(await refuse("video-entitled", nobody)).toBe("offer-all");
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
    const refused = await asked(await other.signIn("nobody"));
    expect(metadataOf(refused)?.offer_ids).toBe("offer-all,offer-event");
    expect((await asked(await other.signIn("viewer-2"))).status).toBe(200);
    await other.close();
  }, 30_000);
});

describe("a session key", () => {
  for (const sessionKey of [undefined, ""]) {
    test(`is made for ${JSON.stringify(sessionKey)}, another each time`, async () => {
      const [one, two] = await Promise.all(
        [1, 2].map(() => service.call("AuthorizePlayback", { videoId: "video-open", sessionKey })),
      );
      expect(one?.json.sessionKey).toMatch(/^[0-9a-f-]{36}$/);
      expect(one?.json.sessionKey).not.toBe(two?.json.sessionKey);
    });
  }

  for (const sessionKey of ["a", "x".repeat(128), "A-Z_0.9~"]) {
    test(`${sessionKey.slice(0, 9)} is taken and given back`, async () => {
      expect((await authorize("video-open", {}, sessionKey)).json.sessionKey).toBe(sessionKey);
    });
  }

  for (const sessionKey of ["x".repeat(129), "a b", "a,b", "ä", "a/b", "a\n", "'"]) {
    test(`${JSON.stringify(sessionKey).slice(0, 9)} is refused by each method`, async () => {
      for (const method of ["AuthorizePlayback", "KeepPlayback", "StopPlayback"] as const) {
        const got = await service.call(method, { videoId: "video-open", sessionKey });
        expect(refusal(got)).toEqual([400, "SESSION_KEY_INVALID"]);
        expect(metadataOf(got)?.field).toBe("session_key");
      }
    });
  }

  for (const [method, message, field] of [
    ["AuthorizePlayback", { sessionKey: "a" }, "video_id"],
    ["KeepPlayback", { sessionKey: "a" }, "video_id"],
    ["KeepPlayback", { videoId: "video-open" }, "session_key"],
    ["StopPlayback", {}, "session_key"],
  ] as const) {
    test(`${method} needs ${field}`, async () => {
      const got = await service.call(method, message);
      expect(refusal(got)).toEqual([400, "FIELD_REQUIRED"]);
      expect(metadataOf(got)?.field).toBe(field);
    });
  }
});

describe("on the wire", () => {
  for (const method of ["AuthorizePlayback", "KeepPlayback", "StopPlayback"] as const) {
    test(`${method} has no GET`, async () => {
      const query = "encoding=json&message=%7B%22videoId%22%3A%22video-open%22%7D";
      const url = `${service.url}${pathOf(method)}?${query}`;
      const got = await send("GET", url, { token: service.keys.public });
      expect([got.status, got.headers.get("allow")]).toEqual([405, "POST"]);
    });
  }

  for (const { name, create: createTransport } of TRANSPORTS.filter(
    (it) => !it.name.includes("br"),
  )) {
    test(`${name} authorizes, keeps, stops and refuses`, async () => {
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

  test("gRPC-Web tells the refusal in its trailers", async () => {
    const body = frame(new Uint8Array(Buffer.from("\x0a\x09video-geo", "latin1")));
    const response = await fetch(service.url + pathOf("AuthorizePlayback"), {
      method: "POST",
      headers: {
        ...connectHeaders(service.keys.public, "application/grpc-web+proto"),
        "x-grpc-web": "1",
      },
      body: body as NonNullable<RequestInit["body"]>,
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const status =
      response.headers.get("grpc-status") ?? webTrailers(bytes)["grpc-status"] ?? "none";
    expect([response.status, status]).toEqual([200, "7"]);
  });
});
