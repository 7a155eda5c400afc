import {
  createLocalJWKSet,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  jwtVerify,
} from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openViewerTokens, VIEWER_TOKEN_ISSUER } from "../../src/auth/viewer-token.ts";
import { openFresh } from "../harness/fresh-store.ts";
import { send } from "../harness/http.ts";
import { type Marquee, startMarquee } from "../harness/marquee.ts";
import { ALPHA, BETA, createSmallDataset } from "../storage/small-dataset.ts";

const NOW = new Date("2026-06-01T12:00:00.250Z");
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);
const HOUR = 3_600;

const verifyOptions = (audience: string, currentDate: Date) => ({
  algorithms: ["ES256"],
  issuer: VIEWER_TOKEN_ISSUER,
  audience,
  currentDate,
});

describe("viewer tokens", () => {
  test("verify against their key set, with nothing private in it", async () => {
    const { store, close } = await openFresh(createSmallDataset());
    const tokens = await openViewerTokens(store, NOW);
    const keySet = await tokens.getKeySet(NOW);
    expect(keySet.keys.length).toBe(1);
    const [key] = keySet.keys;
    expect(Object.keys(key ?? {}).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);

    const token = await tokens.sign({ projectId: ALPHA, userId: "u-ü" }, NOW, at(HOUR));
    expect(decodeProtectedHeader(token)).toEqual({ alg: "ES256", kid: key?.kid, typ: "JWT" });
    const keys = createLocalJWKSet(keySet);
    const { payload } = await jwtVerify(token, keys, verifyOptions(ALPHA, NOW));
    const seconds = Math.floor(NOW.getTime() / 1_000);
    expect(payload).toEqual({
      iss: VIEWER_TOKEN_ISSUER,
      aud: ALPHA,
      project_uid: await store.access.findProjectUid(ALPHA),
      sub: "u-ü",
      iat: seconds,
      exp: seconds + HOUR,
    });
    await expect(jwtVerify(token, keys, verifyOptions(BETA, NOW))).rejects.toThrow(
      errors.JWTClaimValidationFailed,
    );
    await expect(jwtVerify(token, keys, verifyOptions(ALPHA, at(HOUR)))).rejects.toThrow(
      errors.JWTExpired,
    );
    await close();
  });

  test("of every process of one database have the same key, of another one another", async () => {
    const fresh = await openFresh(createSmallDataset());
    const other = await openFresh();
    const second = await fresh.openAnother();
    const [one, two, three] = await Promise.all(
      [fresh.store, second, other.store].map((store) => openViewerTokens(store, NOW)),
    );
    const keySet = await one?.getKeySet(NOW);
    expect(await two?.getKeySet(NOW)).toEqual(keySet);
    expect(await three?.getKeySet(NOW)).not.toEqual(keySet);
    const token = (await one?.sign({ projectId: ALPHA, userId: "u" }, NOW, at(60))) ?? "";
    const foreign = createLocalJWKSet((await three?.getKeySet(NOW)) ?? { keys: [] });
    await expect(jwtVerify(token, foreign, verifyOptions(ALPHA, NOW))).rejects.toThrow();
    await fresh.close();
    await other.close();
  });
});

describe("a viewer token that was exchanged", () => {
  let marquee: Marquee;
  let audience: string;

  beforeAll(async () => {
    marquee = await startMarquee({ clock: () => NOW });
    const integration = await marquee.store.signInIntegrations.find("worldcup");
    audience = integration?.value.audiences[0] ?? "";
  });
  afterAll(() => marquee.close());

  const exchange = async (expireTime: Date) => {
    const vendorIdToken = await marquee.identityProvider.sign({
      subject: "user-1",
      audience,
      issueTime: at(-60),
      expireTime,
    });
    const url = `${marquee.url}/svc.cda.iam.auth.v1.AuthService/ExchangeToken`;
    return send("POST", url, {
      token: marquee.keys.public,
      headers: { "connect-protocol-version": "1" },
      body: { vendorIdToken },
    });
  };

  test.each<[string, number, number]>([
    ["the provider's token when that ends first", HOUR, HOUR],
    ["twelve hours at most", 24 * HOUR, 12 * HOUR],
    ["the provider's token to the second", 90, 90],
  ])("never outlives %s", async (_name, vendorSeconds, wantSeconds) => {
    const { status, json } = await exchange(at(vendorSeconds));
    expect(status).toBe(200);
    const keySet = (await send("GET", `${marquee.url}/.well-known/jwks.json`)).json;
    const keys = createLocalJWKSet(keySet as JSONWebKeySet);
    const { payload } = await jwtVerify(json.token, keys, verifyOptions("worldcup", at(-HOUR)));
    const want = Math.floor(at(wantSeconds).getTime() / 1_000);
    expect(payload.exp).toBe(want);
    expect(new Date(json.expireTime)).toEqual(new Date(want * 1_000));
    expect([payload.sub, json.userId]).toEqual(["user-1", "user-1"]);
  });
});
