import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type CryptoKey,
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  jwtVerify,
  SignJWT,
  UnsecuredJWT,
} from "jose";
import { afterAll, describe, expect, test } from "vitest";
import { metadataOf, reasonOf, refusal, send } from "../../harness/http.ts";
import { type Marquee, startMarquee } from "../../harness/marquee.ts";

const NOW = new Date("2026-07-01T12:00:00Z");
const SECONDS = NOW.getTime() / 1_000;

const vendor = await startVendor();
const rival = await startVendor();
const away = { issuer: "https://away.example", jwksUrl: "http://127.0.0.1:9/jwks.json" };
const marquee = await startMarquee({ clock: () => NOW, identityIssuers: [vendor, rival, away] });
afterAll(async () => {
  await marquee.close();
  vendor.server.close();
  rival.server.close();
});

const CLAIMS = { sub: "user-1", aud: "marquee-demo", iat: SECONDS - 10, exp: SECONDS + 600 };

const FORGED = "SIGNATURE_INVALID";

const exchange = (vendorIdToken: unknown, key: keyof Marquee["keys"] = "public") =>
  send("POST", `${marquee.url}/svc.cda.iam.auth.v1.AuthService/ExchangeToken`, {
    token: marquee.keys[key],
    headers: { "connect-protocol-version": "1" },
    body: { vendorIdToken },
  });
const setAudiences = async (audiences: readonly string[], project = "worldcup") => {
  const url = `${marquee.url}/iam/users/v1/sso/${project}`;
  const got = await send("PATCH", url, { token: marquee.tokens.owner, body: { audiences } });
  expect(got.status).toBe(200);
};
async function expectRefused(token: unknown, reason: string) {
  const got = await exchange(token);
  expect([got.status, got.json.code]).toEqual([401, "unauthenticated"]);
  expect(reasonOf(got)).toBe(reason);
  expect(got.headers.get("www-authenticate")).toBe("Bearer");
  expect(got.headers.get("cache-control")).toContain("no-store");
}

describe("a token of the third party is exchanged for one of the service", () => {
  test("whose signature holds against the published keys, for the user and the project", async () => {
    const got = await exchange(await vendor.sign(CLAIMS));
    expect(got.status).toBe(200);
    expect(Object.keys(got.json).sort()).toEqual(["expireTime", "token", "userId"]);
    expect(got.json.userId).toBe(idOf(vendor, "user-1"));

    const keys = await send("GET", `${marquee.url}/.well-known/jwks.json`);
    expect(keys.status).toBe(200);
    expect(keys.json.keys[0]).not.toHaveProperty("d");
    const { payload, protectedHeader } = await jwtVerify(
      got.json.token,
      createLocalJWKSet(keys.json),
      { audience: "worldcup", issuer: "marquee", algorithms: ["ES256"], currentDate: NOW },
    );
    expect(protectedHeader.alg).toBe("ES256");
    expect(protectedHeader.kid).toBe(keys.json.keys[0].kid);
    expect(payload).toMatchObject({ sub: got.json.userId, iat: SECONDS });
    expect(new Date((payload.exp ?? 0) * 1_000)).toEqual(new Date(got.json.expireTime));
  });

  test.each([
    [1, 1],
    [30 * 86_400, 12 * 3_600],
    [90.75, 90],
  ])("one that lasts %d s gives one of %d s: it never outlives it", async (lasts, want) => {
    const got = await exchange(await vendor.sign({ ...CLAIMS, exp: SECONDS + lasts }));
    expect(Date.parse(got.json.expireTime)).toBe(NOW.getTime() + want * 1_000);
  });

  test.each([
    ["public", { aud: ["other", "marquee-demo"] }],
    ["public", { nbf: SECONDS + 59 }],
    ["preview", {}],
  ] as const)("with the %s key, also of %j", async (key, claims) => {
    expect((await exchange(await vendor.sign({ ...CLAIMS, ...claims }), key)).status).toBe(200);
  });
});

describe("refused with its own reason", () => {
  const part = (json: unknown) => Buffer.from(JSON.stringify(json)).toString("base64url");
  const forge = async () => {
    const [head, , tail] = (await vendor.sign(CLAIMS)).split(".");
    return [head, part({ ...CLAIMS, sub: "admin", iss: vendor.issuer }), tail].join(".");
  };
  const secret = () =>
    new SignJWT({ ...CLAIMS, iss: vendor.issuer })
      .setProtectedHeader({ alg: "HS256", kid: vendor.header.kid })
      .sign(Buffer.from(vendor.publicKey));
  const unsecured = () => new UnsecuredJWT({ ...CLAIMS, iss: vendor.issuer }).encode();
  test.each<[what: string, token: () => string | Promise<string>, reason: string]>([
    ["no JWT at all", () => "abc", "TOKEN_MALFORMED"],
    ["a list as its content", () => `${part({ alg: "RS256" })}.${part([])}.c`, "TOKEN_MALFORMED"],
    [
      "another key under the same id",
      async () => signWith(await otherKey(), vendor.header),
      FORGED,
    ],
    ["an unknown key id", () => signWith(vendor.key, { alg: "RS256", kid: "x" }), FORGED],
    ["a changed content", forge, FORGED],
    ["no signature", unsecured, FORGED],
    ["a shared secret", secret, FORGED],
  ])("%s", async (_, token, reason) => expectRefused(await token(), reason));

  test.each([
    [{ sub: undefined }, "TOKEN_MALFORMED"],
    [{ sub: "u".repeat(256) }, "TOKEN_MALFORMED"],
    [{ sub: "u\ud83d" }, "TOKEN_MALFORMED"],
    [{ iss: "" }, "TOKEN_MALFORMED"],
    [{ iss: "https://other.example" }, "ISSUER_UNKNOWN"],
    [{ iss: "constructor" }, "ISSUER_UNKNOWN"],
    [{ aud: "MARQUEE-DEMO" }, "AUDIENCE_NOT_ALLOWED"],
    [{ aud: [] }, "AUDIENCE_NOT_ALLOWED"],
    [{ exp: SECONDS }, "TOKEN_EXPIRED"],
    [{ exp: SECONDS + 0.5 }, "TOKEN_EXPIRED"],
    [{ exp: SECONDS - 61 }, "TOKEN_EXPIRED"],
    [{ nbf: SECONDS + 61 }, "TOKEN_EXPIRED"],
  ])("the claims %j: %s", async (claims, reason) => {
    await expectRefused(await vendor.sign({ ...CLAIMS, ...claims }), reason);
  });

  test("no token, and an issuer whose keys cannot be fetched", async () => {
    const none = await exchange(null);
    expect([...refusal(none), metadataOf(none)?.field]).toEqual([
      ...[400, "FIELD_REQUIRED", "vendor_id_token"],
    ]);
    const got = await exchange(await vendor.sign({ ...CLAIMS, iss: away.issuer }));
    expect([...refusal(got), got.json.code]).toEqual([503, "ISSUER_UNREACHABLE", "unavailable"]);
    expect(got.text).not.toContain("ECONNREFUSED");
  });
});

test("a hundred tokens with unknown key ids cause one more fetch of the keys at most", async () => {
  await exchange(await vendor.sign(CLAIMS));
  const before = vendor.fetches();
  const tokens = Array.from({ length: 100 }, (_, index) =>
    signWith(vendor.key, { alg: "RS256", kid: `k${index}` }),
  );
  const got = await Promise.all(tokens.map(async (token) => exchange(await token)));
  expect(new Set(got.map(reasonOf))).toEqual(new Set([FORGED]));
  expect(vendor.fetches() - before).toBeLessThanOrEqual(1);
});

describe("the project's audiences", () => {
  test("count from the moment that operation 4 answers", async () => {
    const token = await vendor.sign({ ...CLAIMS, aud: "new-app" });
    await expectRefused(token, "AUDIENCE_NOT_ALLOWED");
    await setAudiences(["new-app"]);
    expect((await exchange(token)).status).toBe(200);
    await expectRefused(await vendor.sign(CLAIMS), "AUDIENCE_NOT_ALLOWED");
    await setAudiences(["marquee-demo"]);
    await expectRefused(token, "AUDIENCE_NOT_ALLOWED");
  });

  test("a project without an integration refuses every token, until it has one", async () => {
    const token = await vendor.sign(CLAIMS);
    expect(refusal(await exchange(token, "sandbox"))).toEqual([401, "AUDIENCE_NOT_ALLOWED"]);
    await setAudiences(["marquee-demo"], "sandbox");
    expect((await exchange(token, "sandbox")).status).toBe(200);
  });
});

describe("the same subject of two issuers is two users", () => {
  test("who share no entitlement", async () => {
    const [own, others] = await Promise.all(
      [vendor, rival].map(async (it) => (await exchange(await it.sign(CLAIMS))).json),
    );
    expect([own.userId, others.userId]).toEqual([idOf(vendor, "user-1"), idOf(rival, "user-1")]);
    expect(own.userId).not.toBe(others.userId);
    const offer = { project_id: "worldcup", name: "o", opens: { everything: true } };
    const studio = `${marquee.url}/monetization`;
    const owner = { token: marquee.tokens.owner };
    const made = await send("POST", `${studio}/offers/v1?offer_id=gift`, { ...owner, body: offer });
    expect(made.status, made.text).toBe(200);
    const body = { project_id: "worldcup", user_id: own.userId, offer_id: "gift" };
    const given = await send("POST", `${studio}/entitlements/v1`, { ...owner, body });
    expect(given.status, given.text).toBe(200);
    for (const [{ token, userId }, count] of [
      [own, 1],
      [others, 0],
    ]) {
      const method = "svc.cda.monetization.entitlement.v1.EntitlementService/ListEntitlements";
      const headers = { "connect-protocol-version": "1" };
      const got = await send("POST", `${marquee.url}/${method}`, { token, headers, body: {} });
      const found = got.json.entitlements ?? [];
      expect([userId, found.length]).toEqual([userId, count]);
    }
  });

  test("and none takes the other's id for a subject of its own", async () => {
    const wanted = idOf(rival, "user-1");
    const got = await exchange(await vendor.sign({ ...CLAIMS, sub: wanted }));
    expect(got.json.userId).toBe(idOf(vendor, wanted));
  });

  test("a subject of 255 characters is one, and its id no longer than others", async () => {
    const subject = "u".repeat(255);
    const got = await exchange(await vendor.sign({ ...CLAIMS, sub: subject }));
    expect([got.status, got.json.userId]).toEqual([200, idOf(vendor, subject)]);
    expect(got.json.userId).toHaveLength(47);
  });
});

/** A third-party identity provider that signs whatever a test wants. */
interface Vendor {
  readonly issuer: string;
  readonly jwksUrl: string;
  readonly server: Server;
  readonly key: CryptoKey;
  readonly publicKey: string;
  readonly header: { readonly alg: string; readonly kid: string };
  fetches(): number;
  /** A claim that is undefined is left out. */
  sign(claims: Readonly<Record<string, unknown>>): Promise<string>;
}

async function startVendor(): Promise<Vendor> {
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const header = { alg: "RS256", kid: "key-1" };
  const jwk = { ...(await exportJWK(publicKey)), ...header, use: "sig" };
  let fetches = 0;
  const server = createServer((_request, response) => {
    fetches += 1;
    response.setHeader("content-type", "application/json").end(JSON.stringify({ keys: [jwk] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sign = (claims: Readonly<Record<string, unknown>>) =>
    new SignJWT({ iss: issuer, ...claims }).setProtectedHeader(header).sign(privateKey);
  const publicText = JSON.stringify(jwk);
  return {
    ...{ issuer, server, header, sign, key: privateKey, publicKey: publicText },
    jwksUrl: `${issuer}/keys`,
    fetches: () => fetches,
  };
}

/** The user id of an issuer's subject where several issuers are configured. */
const idOf = ({ issuer }: Vendor, subject: string) =>
  `sub_${createHash("sha256").update(`${issuer}\n${subject}`).digest("base64url")}`;

const otherKey = async () => (await generateKeyPair("RS256")).privateKey;

const signWith = (key: CryptoKey, header: { alg: string; kid: string }) =>
  new SignJWT({ ...CLAIMS, iss: vendor.issuer }).setProtectedHeader(header).sign(key);
