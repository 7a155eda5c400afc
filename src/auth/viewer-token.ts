import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { calculateJwkThumbprint, exportJWK, type JSONWebKeySet, SignJWT } from "jose";
import type { SecretStore } from "../storage/store.ts";

/** Whom a viewer token stands for. */
export interface Viewer {
  readonly projectId: string;
  readonly userId: string;
}

/** Signs viewer tokens. */
export interface ViewerTokens {
  /** Signs a JWT (ES256) whose audience is the project and whose subject is the user. */
  sign(viewer: Viewer, now: Date, expireTime: Date): Promise<string>;
  /** The public keys that tokens are checked with. */
  readonly keySet: JSONWebKeySet;
}

const ALGORITHM = "ES256";

/** The `iss` of every viewer token. */
export const VIEWER_TOKEN_ISSUER = "marquee";

/** Opens the installation's signing key, made the first time and shared by all processes. */
export async function openViewerTokens(secrets: SecretStore): Promise<ViewerTokens> {
  const pem = await secrets.getOrCreate("viewer_token_key", createKey);
  const privateKey = createPrivateKey(Buffer.from(pem));
  const publicJwk = await exportJWK(createPublicKey(privateKey as unknown as string));
  const kid = await calculateJwkThumbprint(publicJwk);
  return {
    keySet: { keys: [{ ...publicJwk, kid, alg: ALGORITHM, use: "sig" }] },
    sign: ({ projectId, userId }, now, expireTime) =>
      new SignJWT()
        .setProtectedHeader({ alg: ALGORITHM, kid, typ: "JWT" })
        .setIssuer(VIEWER_TOKEN_ISSUER)
        .setAudience(projectId)
        .setSubject(userId)
        .setIssuedAt(now)
        .setExpirationTime(expireTime)
        .sign(privateKey),
  };
}

function createKey(): Uint8Array {
  const { privateKey }: { privateKey: KeyObject } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
  });
  return Buffer.from(privateKey.export({ type: "pkcs8", format: "pem" }));
}
