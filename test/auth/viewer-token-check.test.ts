import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { decodeJwt, decodeProtectedHeader, SignJWT, UnsecuredJWT } from "jose";
import { afterAll, describe, expect, test } from "vitest";
import { openViewerTokens } from "../../src/auth/viewer-token.ts";
import { Code, DomainError } from "../../src/domain/base/errors.ts";
import { openFresh } from "../harness/fresh-store.ts";
import { ALPHA, BETA, createSmallDataset } from "../storage/small-dataset.ts";

const NOW = new Date("2026-06-01T12:00:00Z");
const SECONDS = NOW.getTime() / 1_000;
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);

const fresh = await openFresh(createSmallDataset());
const other = await openFresh(createSmallDataset());
afterAll(async () => {
  await fresh.close();
  await other.close();
});
const tokens = await openViewerTokens(fresh.store, NOW);
const { signing } = await fresh.store.viewerTokenKeys.get();
if (signing === undefined) throw new Error("no key signs");
const KEY = createPrivateKey(Buffer.from(signing.privateKey));
const HEADER = { alg: "ES256", kid: signing.id };
const UID = await fresh.store.access.findProjectUid(ALPHA);
const CLAIMS = { iss: "marquee", aud: ALPHA, project_uid: UID, sub: "u", exp: SECONDS + 60 };

const sign = (claims: object, header: { alg: string; kid?: string } = HEADER, key = KEY) =>
  new SignJWT({ ...CLAIMS, ...claims }).setProtectedHeader(header).sign(key);
const newKey = () => generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
const TOKEN = await tokens.sign({ projectId: ALPHA, userId: "u-ü" }, NOW, at(60));
const VIEWER = { projectId: ALPHA, userId: "u-ü", expireTime: at(60) };
const [HEAD, CONTENT, SIGNATURE = ""] = TOKEN.split(".");
const part = (json: unknown) => Buffer.from(JSON.stringify(json)).toString("base64url");

describe("a viewer token holds", () => {
  test.each<[string, number]>([
    ["when it was made", 0],
    ["a moment before", -1],
    ["in its last second", 59.999],
  ])("%s", async (_name, seconds) => {
    expect(await tokens.verify(TOKEN, at(seconds))).toEqual(VIEWER);
  });

  test("in every process of the database", async () => {
    const second = await openViewerTokens(await fresh.openAnother(), NOW);
    expect(await second.verify(TOKEN, NOW)).toEqual(VIEWER);
  });
});

describe("a viewer token that does not hold is rejected with its reason", () => {
  const hmac = new TextEncoder().encode(Buffer.from(signing.publicKey).toString());

  test.each<[string, string, () => Promise<string> | string, Date?]>([
    ["TOKEN_MALFORMED", "no JWT", () => "abc"],
    ["TOKEN_MALFORMED", "an empty one", () => ""],
    ["TOKEN_MALFORMED", "two parts", () => `${HEAD}.${CONTENT}`],
    ["TOKEN_MALFORMED", "four parts", () => `${TOKEN}.x`],
    ["TOKEN_MALFORMED", "a header that is no JSON", () => `e.${CONTENT}.${SIGNATURE}`],
    ["TOKEN_MALFORMED", "a content that is no object", () => `${HEAD}.${part([])}.${SIGNATURE}`],
    ["TOKEN_MALFORMED", "no issuer", () => sign({ iss: undefined })],
    ["TOKEN_MALFORMED", "no user", () => sign({ sub: undefined })],
    ["TOKEN_MALFORMED", "an empty user", () => sign({ sub: "" })],
    ["TOKEN_MALFORMED", "a user that is no text", () => sign({ sub: 7 })],
    ["TOKEN_MALFORMED", "no project", () => sign({ aud: undefined })],
    ["TOKEN_MALFORMED", "several projects", () => sign({ aud: [ALPHA, BETA] })],
    ["AUDIENCE_NOT_ALLOWED", "no project's uid", () => sign({ project_uid: undefined })],
    ["AUDIENCE_NOT_ALLOWED", "an empty uid", () => sign({ project_uid: "" })],
    ["AUDIENCE_NOT_ALLOWED", "another project's uid", () => sign({ aud: BETA })],
    ["AUDIENCE_NOT_ALLOWED", "no such project", () => sign({ aud: "nothing" })],
    ["AUDIENCE_NOT_ALLOWED", "neither", () => sign({ aud: "nothing", project_uid: undefined })],
    ["AUDIENCE_NOT_ALLOWED", "a uid that is no text", () => sign({ project_uid: [UID] })],
    ["TOKEN_MALFORMED", "no end", () => sign({ exp: undefined })],
    ["TOKEN_MALFORMED", "an end that is no time", () => sign({ exp: "later" })],
    ["TOKEN_EXPIRED", "the second of its end", () => TOKEN, at(60)],
    ["TOKEN_EXPIRED", "long after its end", () => TOKEN, at(1e9)],
    ["TOKEN_EXPIRED", "a token of later", () => sign({ nbf: SECONDS + 1 })],
    ["ISSUER_UNKNOWN", "another issuer", () => sign({ iss: "https://id.example" })],
    ["ISSUER_UNKNOWN", "the issuer in another case", () => sign({ iss: "Marquee" })],
    ["SIGNATURE_INVALID", "another key of the same id", () => sign({}, HEADER, newKey())],
    ["SIGNATURE_INVALID", "an unknown key", () => sign({}, { alg: "ES256", kid: "x" }, newKey())],
    ["SIGNATURE_INVALID", "no key's id", () => sign({}, { alg: "ES256" })],
    ["SIGNATURE_INVALID", "another content", () => `${HEAD}.${part(CLAIMS)}.${SIGNATURE}`],
    ["SIGNATURE_INVALID", "a cut signature", () => `${HEAD}.${CONTENT}.${SIGNATURE.slice(4)}`],
    ["SIGNATURE_INVALID", "no signature", () => `${HEAD}.${CONTENT}.`],
    ["SIGNATURE_INVALID", "no algorithm", () => new UnsecuredJWT(CLAIMS).encode()],
    [
      "SIGNATURE_INVALID",
      "the public key as a shared secret",
      () => new SignJWT(CLAIMS).setProtectedHeader({ alg: "HS256", kid: HEADER.kid }).sign(hmac),
    ],
    [
      "SIGNATURE_INVALID",
      "another algorithm",
      () => {
        const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-384" });
        return sign({}, { alg: "ES384", kid: HEADER.kid }, privateKey);
      },
    ],
    [
      "SIGNATURE_INVALID",
      "another installation",
      async () =>
        (await openViewerTokens(other.store, NOW)).sign(
          { projectId: ALPHA, userId: "u" },
          NOW,
          at(60),
        ),
    ],
  ])("%s: %s", async (reason, _what, make, time = NOW) => {
    const token = await make();
    const error = await tokens.verify(token, time).catch((it: unknown) => it);
    if (!(error instanceof DomainError)) throw new Error("it was let in");
    expect([error.code, error.reason]).toEqual([Code.UNAUTHENTICATED, reason]);
    if (token !== "") expect(error.message).not.toContain(token);
  });

  test("though the table's good token holds", async () => {
    expect(await tokens.verify(await sign({}), NOW)).toEqual({ ...VIEWER, userId: "u" });
    expect(decodeProtectedHeader(TOKEN).kid).toBe(HEADER.kid);
    expect(decodeJwt(TOKEN)).toMatchObject({ ...CLAIMS, sub: "u-ü" });
  });
});
