import { createHash } from "node:crypto";
import { createLocalJWKSet, jwtVerify } from "jose";
import { afterAll, describe, expect, test } from "vitest";
import { startIdentityProvider } from "../../../demo/identity-provider.ts";
import { metadataOf, rejection } from "../../harness/http.ts";
import type { Marquee } from "../../harness/marquee.ts";
import { callDelivery } from "../delivery.ts";
import { ok, useIam } from "./iam.ts";

const NOW = new Date("2026-07-01T12:00:00Z");
const SECONDS = NOW.getTime() / 1_000;
const ENTITLEMENTS = "svc.cda.monetization.entitlement.v1.EntitlementService/ListEntitlements";

const vendor = await startIdentityProvider();
const rival = await startIdentityProvider();
const unknown = await startIdentityProvider();
/** One whose keys cannot be fetched. */
const away = await startIdentityProvider("https://away.example");
const unreachable = { issuer: away.issuer, jwksUrl: "http://127.0.0.1:9/jwks.json" };
/** One that names itself as another, and has other keys. */
const forger = await startIdentityProvider(vendor.issuer);
const { marquee, call } = await useIam({
  ...{ clock: () => NOW, identityIssuers: [vendor, rival, unreachable] },
});
afterAll(async () => {
  for (const provider of [vendor, rival, unknown, away, forger]) await provider.close();
});

interface Claims {
  readonly subject?: string;
  readonly audience?: string;
  /** When it ends, in seconds from now. */
  readonly lasts?: number;
}

const sign = (
  { subject = "user-1", audience = "marquee-demo", lasts = 600 }: Claims = {},
  provider = vendor,
) =>
  provider.sign({
    ...{ subject, audience, issueTime: new Date(NOW.getTime() - 10_000) },
    expireTime: new Date(NOW.getTime() + lasts * 1_000),
  });
const exchange = (vendorIdToken: string, key: keyof Marquee["keys"] = "public") =>
  callDelivery(
    ...([marquee, "svc.cda.iam.auth.v1.AuthService/ExchangeToken", { vendorIdToken }] as const),
    ...([key, "POST"] as const),
  );
const setAudiences = async (audiences: readonly string[], project = "worldcup") =>
  ok(await call(`PATCH /iam/users/v1/sso/${project}`, { body: { audiences } }));

/** The user id of an issuer's subject where several issuers are configured. */
const idOf = ({ issuer }: typeof vendor, subject: string) =>
  `sub_${createHash("sha256").update(`${issuer}\n${subject}`).digest("base64url")}`;

test("a token of the third party is exchanged for one of the service, which the published keys verify", async () => {
  const got = ok(await exchange(await sign()));
  expect(Object.keys(got).sort()).toEqual(["expireTime", "token", "userId"]);
  expect(got.userId).toBe(idOf(vendor, "user-1"));
  const keys = ok(await call("GET /.well-known/jwks.json"));
  expect(keys.keys[0]).not.toHaveProperty("d");
  const { payload, protectedHeader } = await jwtVerify(got.token, createLocalJWKSet(keys), {
    ...{ audience: "worldcup", issuer: "marquee", algorithms: ["ES256"], currentDate: NOW },
  });
  expect(protectedHeader).toMatchObject({ alg: "ES256", kid: keys.keys[0].kid });
  expect(payload).toMatchObject({ sub: got.userId, iat: SECONDS });
  expect(new Date((payload.exp ?? 0) * 1_000)).toEqual(new Date(got.expireTime));
  expect((await exchange(await sign(), "preview")).status).toBe(200);
});

test.each([
  [1, 1],
  [30 * 86_400, 12 * 3_600],
])("one that lasts %d s gives one of %d s: it never outlives it", async (lasts, want) => {
  const got = ok(await exchange(await sign({ lasts })));
  expect(Date.parse(got.expireTime)).toBe(NOW.getTime() + want * 1_000);
});

// All that is wrong with a token is tried in test/auth/identity-token.test.ts.
test.each<[reason: string, token: string]>([
  ["TOKEN_MALFORMED", "abc"],
  ["TOKEN_MALFORMED", await sign({ subject: "u".repeat(256) })],
  ["SIGNATURE_INVALID", await sign({}, forger)],
  ["ISSUER_UNKNOWN", await sign({}, unknown)],
  ["AUDIENCE_NOT_ALLOWED", await sign({ audience: "MARQUEE-DEMO" })],
  ["TOKEN_EXPIRED", await sign({ lasts: 0 })],
])("%s is why %s is rejected", async (reason, token) => {
  const got = await exchange(token);
  expect([...rejection(got), got.json.code]).toEqual([401, reason, "unauthenticated"]);
  expect(got.headers.get("www-authenticate")).toBe("Bearer");
  expect(got.headers.get("cache-control")).toContain("no-store");
});

test("no token, and an issuer whose keys cannot be fetched", async () => {
  const none = await exchange("");
  expect(rejection(none)).toEqual([400, "FIELD_REQUIRED"]);
  expect(metadataOf(none)?.field).toBe("vendor_id_token");
  const got = await exchange(await sign({}, away));
  expect([...rejection(got), got.json.code]).toEqual([503, "ISSUER_UNREACHABLE", "unavailable"]);
  expect(got.text).not.toContain("ECONNREFUSED");
});

describe("the project's audiences", () => {
  const rejected = [401, "AUDIENCE_NOT_ALLOWED"];

  test("count from the moment that operation 4 responds", async () => {
    const token = await sign({ audience: "new-app" });
    expect(rejection(await exchange(token))).toEqual(rejected);
    await setAudiences(["new-app"]);
    expect((await exchange(token)).status).toBe(200);
    expect(rejection(await exchange(await sign()))).toEqual(rejected);
    await setAudiences(["marquee-demo"]);
    expect(rejection(await exchange(token))).toEqual(rejected);
  });

  test("a project without an integration rejects every token, until it has one", async () => {
    expect(rejection(await exchange(await sign(), "sandbox"))).toEqual(rejected);
    await setAudiences(["marquee-demo"], "sandbox");
    expect((await exchange(await sign(), "sandbox")).status).toBe(200);
  });
});

describe("the same subject of two issuers is two users", () => {
  test("who share no entitlement", async () => {
    const own = ok(await exchange(await sign()));
    const other = ok(await exchange(await sign({}, rival)));
    expect([own.userId, other.userId]).toEqual([idOf(vendor, "user-1"), idOf(rival, "user-1")]);
    const body = { project_id: "worldcup", user_id: own.userId, offer_id: "offer-day" };
    ok(await call("POST /monetization/entitlements/v1", { body }));
    for (const [{ token }, count] of [
      [own, 1],
      [other, 0],
    ]) {
      const keys = { ...marquee.keys, public: token };
      const got = await callDelivery(
        { url: marquee.url, keys },
        ENTITLEMENTS,
        {},
        "public",
        "POST",
      );
      expect(ok(got).entitlements ?? []).toHaveLength(count);
    }
  });

  test("and none takes the other's id for a subject of its own", async () => {
    const wanted = idOf(rival, "user-1");
    const got = ok(await exchange(await sign({ subject: wanted })));
    expect(got.userId).toBe(idOf(vendor, wanted));
  });

  test("a subject of 255 characters is one, and its id no longer than others", async () => {
    const subject = "u".repeat(255);
    const got = ok(await exchange(await sign({ subject })));
    expect(got.userId).toBe(idOf(vendor, subject));
    expect(got.userId).toHaveLength(47);
  });
});
