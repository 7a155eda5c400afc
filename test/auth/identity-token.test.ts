import {
  type CryptoKey,
  exportSPKI,
  importJWK,
  type JSONWebKeySet,
  type JWTPayload,
  SignJWT,
} from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type IdentityProvider, startIdentityProvider } from "../../demo/identity-provider.ts";
import {
  createIdentityVerifier,
  type IdentityIssuer,
  type IdentityVerifier,
  toUserId,
} from "../../src/auth/identity-token.ts";
import { Code } from "../../src/domain/base/errors.ts";
import { openCases } from "../harness/cases.ts";
import { type KeyServer, startKeyServer } from "./key-server.ts";

const each = openCases("auth/identity-token");

const NOW = new Date("2026-06-01T12:00:00Z");
const SECONDS = NOW.getTime() / 1_000;
const at = (offset: number) => new Date(NOW.getTime() + offset * 1_000);

let provider: IdentityProvider;
let server: KeyServer;
let verifier: IdentityVerifier;

beforeAll(async () => {
  provider = await startIdentityProvider();
  server = await startKeyServer();
  await server.addKey("k");
  verifier = createIdentityVerifier([provider, { ...server, isPrimary: true }]);
});
afterAll(async () => {
  await provider.close();
  await server.close();
});

const rejected = (reason: string) => ({ code: Code.UNAUTHENTICATED, reason });
/** Claims that are fine, of the provider whose tokens a test makes up. */
const claims = (changes: JWTPayload = {}): JWTPayload => ({
  iss: server.issuer,
  sub: "u",
  aud: "web",
  exp: SECONDS + 60,
  ...changes,
});
const verify = async (made: JWTPayload, audiences = ["web"]) =>
  verifier.verify(await server.sign("k", made), audiences, NOW);
const rejects = (made: Promise<unknown>, reason: string) =>
  expect(made).rejects.toMatchObject(rejected(reason));
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

describe("a provider's token", () => {
  const sign = (expireTime: Date, audience = "web") =>
    provider.sign({ subject: "user-1", audience, issueTime: at(-10), expireTime });

  test("shows the user and its end", async () => {
    const token = await sign(at(600));
    const alone = createIdentityVerifier([provider]);
    expect(await alone.verify(token, ["web", "app"], NOW)).toEqual({
      userId: "user-1",
      expireTime: at(600),
    });
  });

  test("names a user of several issuers by issuer and subject, but a primary issuer's", async () => {
    const token = await sign(at(600));
    const userIdOf = async (...issuers: readonly IdentityIssuer[]) =>
      (await createIdentityVerifier(issuers).verify(token, ["web"], NOW)).userId;
    const qualified = toUserId(provider.issuer, "user-1", false);
    const primary = { ...provider, isPrimary: true };
    expect(await userIdOf(provider, server)).toBe(qualified);
    expect(await userIdOf(server, provider)).toBe(qualified);
    expect(await userIdOf(provider, { ...server, isPrimary: true })).toBe(qualified);
    expect(await userIdOf(primary, server)).toBe("user-1");
    expect(await userIdOf(provider)).toBe("user-1");
    expect(await userIdOf(primary)).toBe("user-1");
  });

  test("is rejected for another audience", async () => {
    const wanted = rejected("AUDIENCE_NOT_ALLOWED");
    const token = await sign(at(600), "other");
    for (const audiences of [["web"], ["Other"], ["other "], [], [""]]) {
      await expect(verifier.verify(token, audiences, NOW)).rejects.toMatchObject(wanted);
    }
  });

  test("is rejected when it has ended", async () => {
    await rejects(verifier.verify(await sign(at(-61)), ["web"], NOW), "TOKEN_EXPIRED");
  });

  test("is rejected by a verifier that does not know the provider", async () => {
    const other = createIdentityVerifier([server]);
    const token = await sign(at(600));
    await expect(other.verify(token, ["web"], NOW)).rejects.toMatchObject({
      ...rejected("ISSUER_UNKNOWN"),
      metadata: { issuer: provider.issuer },
    });
    const none = createIdentityVerifier([]);
    await rejects(none.verify(token, ["web"], NOW), "ISSUER_UNKNOWN");
  });

  test("is rejected when any of its parts is changed", async () => {
    const token = await sign(at(600));
    const [header = "", payload = "", signature = ""] = token.split(".");
    const body = JSON.parse(Buffer.from(payload, "base64url").toString()) as JWTPayload;
    const forged = [
      `${header}.${encode({ ...body, sub: "user-2" })}.${signature}`,
      `${encode({ alg: "RS256", kid: "demo", typ: "x" })}.${payload}.${signature}`,
      `${header}.${payload}.${signature.slice(0, -8)}AAAAAAAA`,
      `${header}.${payload}.`,
    ];
    for (const text of forged) {
      await rejects(verifier.verify(text, ["web"], NOW), "SIGNATURE_INVALID");
    }
  });

  test("is rejected with another key under the same id", async () => {
    const foreign = await startKeyServer();
    for (const alg of ["RS256", "ES256"]) {
      await foreign.addKey("demo", alg);
      const token = await foreign.sign("demo", claims({ iss: provider.issuer }));
      await rejects(verifier.verify(token, ["web"], NOW), "SIGNATURE_INVALID");
    }
    await foreign.close();
  });
});

describe("algorithms", () => {
  test("none is rejected, in every spelling, with and without a signature", async () => {
    for (const alg of ["none", "None", "NONE", ""]) {
      for (const signature of ["", "AAAA"]) {
        const token = `${encode({ alg, kid: "k" })}.${encode(claims())}.${signature}`;
        const error = await verifier.verify(token, ["web"], NOW).catch((it: unknown) => it);
        expect(error).toMatchObject({ code: Code.UNAUTHENTICATED });
        if (alg !== "") expect(error).toMatchObject(rejected("SIGNATURE_INVALID"));
      }
    }
  });

  test("a secret made of the public key is rejected", async () => {
    const response = await fetch(provider.jwksUrl);
    const { keys } = (await response.json()) as JSONWebKeySet;
    const [jwk = {}] = keys;
    const publicKey = await importJWK(jwk, jwk.alg, { extractable: true });
    const secrets = [await exportSPKI(publicKey as CryptoKey), JSON.stringify(jwk)];
    for (const secret of secrets) {
      for (const alg of ["HS256", "HS384", "HS512"]) {
        const token = await new SignJWT(claims({ iss: provider.issuer }))
          .setProtectedHeader({ alg, kid: "demo" })
          .sign(new TextEncoder().encode(secret.padEnd(64)));
        await rejects(verifier.verify(token, ["web"], NOW), "SIGNATURE_INVALID");
      }
    }
  });

  test.each(["RS256", "PS512", "ES384", "EdDSA"])("%s is taken", async (alg) => {
    const own = await startKeyServer();
    await own.addKey("a", alg);
    const token = await own.sign("a", claims({ iss: own.issuer }));
    const identity = await createIdentityVerifier([own]).verify(token, ["web"], NOW);
    expect(identity.userId).toBe("u");
    await own.close();
  });

  test("a key of another algorithm than the token names is rejected", async () => {
    const token = await server.sign("k", claims(), { kid: "demo" });
    await rejects(verifier.verify(token, ["web"], NOW), "SIGNATURE_INVALID");
  });

  test("an extension that must be understood is rejected", async () => {
    const header = encode({ alg: "ES256", kid: "k", crit: ["x"], x: 1 });
    const token = `${header}.${encode(claims())}.AAAA`;
    await expect(verifier.verify(token, ["web"], NOW)).rejects.toMatchObject({
      code: Code.UNAUTHENTICATED,
    });
  });
});

describe("times, with 60 seconds of skew", () => {
  test.each<[string, JWTPayload, boolean]>([
    ["exp 60 seconds ago", { exp: SECONDS - 60 }, false],
    ["exp 59 seconds ago", { exp: SECONDS - 59 }, true],
    ["exp now", { exp: SECONDS }, true],
    ["nbf in 60 seconds", { nbf: SECONDS + 60 }, true],
    ["nbf in 61 seconds", { nbf: SECONDS + 61 }, false],
    ["nbf long ago", { nbf: 0 }, true],
    ["exp before nbf, both in the skew", { exp: SECONDS - 5, nbf: SECONDS + 5 }, true],
    ["iat in the future", { iat: SECONDS + 3_600 }, true],
  ])("%s", async (_name, changes, lives) => {
    const made = verify(claims(changes));
    if (lives) await expect(made).resolves.toMatchObject({ userId: "u" });
    else await rejects(made, "TOKEN_EXPIRED");
  });

  test("the end that is shown is the token's, without the skew", async () => {
    expect((await verify(claims({ exp: SECONDS - 30 }))).expireTime).toEqual(at(-30));
  });

  test("an end beyond every date is the last date", async () => {
    for (const exp of [1e13, 1e300]) {
      expect((await verify(claims({ exp }))).expireTime).toEqual(new Date(8.64e15));
    }
  });
});

each<[string, JWTPayload["aud"], readonly string[], boolean]>(
  "audiences",
  async (_name, aud, allowed, taken) => {
    const made = verify({ ...claims(), ...(aud !== undefined && { aud }) }, [...allowed]);
    if (taken) await expect(made).resolves.toMatchObject({ userId: "u" });
    else await rejects(made, "AUDIENCE_NOT_ALLOWED");
  },
);

describe("claims that are missing or of another form", () => {
  test.each(["sub", "exp", "aud", "iss"])("no %s is TOKEN_MALFORMED", async (name) => {
    const { [name]: _, ...rest } = claims();
    await rejects(verify(rest), "TOKEN_MALFORMED");
  });

  each<[string, Record<string, unknown>]>(
    "claims that are missing or of another form are TOKEN_MALFORMED",
    async (_name, changes) => {
      await rejects(verify(claims(changes as JWTPayload)), "TOKEN_MALFORMED");
    },
  );

  const texts = ["", "a", "a.b", "a.b.c", "..", "a.b.c.d.e", "é.é.é", "mqa_abc", "x".repeat(9_999)];
  test.each([...texts, `${encode([])}.${encode({})}.`, `${encode({})}.${encode("x")}.`])(
    "%o",
    async (text) => {
      await rejects(verifier.verify(text, ["web"], NOW), "TOKEN_MALFORMED");
    },
  );
});
