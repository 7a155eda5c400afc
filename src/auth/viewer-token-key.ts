import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import type { NewViewerTokenKey, ViewerTokenKey } from "../storage/contract/sign-in.ts";
import type { Store } from "../storage/contract/store.ts";

/** The maximum lifetime of a viewer token, in milliseconds. */
export const VIEWER_TOKEN_LIFETIME = 12 * 3_600_000;

/**
 * The retention of a retired key beyond the lifetime of a token, in milliseconds: other processes notice a
 * rotation with a delay, and clocks differ.
 */
const KEY_SLACK = 60_000;

/** Generates a key pair (P-256). */
export function createViewerTokenKey(now: Date): NewViewerTokenKey {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    id: toThumbprint(pair.publicKey),
    publicKey: Buffer.from(pair.publicKey.export({ type: "spki", format: "pem" })),
    privateKey: Buffer.from(pair.privateKey.export({ type: "pkcs8", format: "pem" })),
    createTime: now,
  };
}

/**
 * Replaces the signing key and returns the id of the new one. Tokens of the previous keys remain valid, unless these have
 * leaked.
 */
export async function rotateViewerTokenKeys(
  store: Store["viewerTokenKeys"],
  now: Date,
  { haveLeaked = false }: { readonly haveLeaked?: boolean } = {},
): Promise<string> {
  await store.begin(() => createViewerTokenKey(now));
  const key = createViewerTokenKey(now);
  // Another process may have retired a key by a clock that is ahead.
  const dropBefore = haveLeaked
    ? new Date(now.getTime() + VIEWER_TOKEN_LIFETIME)
    : findLastUse(now);
  await store.rotate({ key, now, dropBefore });
  return key.id;
}

/** Parses the private key of a key pair. */
export function readPrivateKey({ privateKey }: NewViewerTokenKey): KeyObject {
  return createPrivateKey(Buffer.from(privateKey));
}

/** Parses the public key of a key pair. */
export function readPublicKey({ publicKey }: Pick<ViewerTokenKey, "publicKey">): KeyObject {
  return createPublicKey(Buffer.from(publicKey));
}

/** Returns the time when all tokens signed by a key have expired; undefined while it signs. */
export function findKeyEnd({ retireTime }: ViewerTokenKey): Date | undefined {
  return retireTime && new Date(retireTime.getTime() + VIEWER_TOKEN_LIFETIME + KEY_SLACK);
}

/** Returns the retirement time of the oldest keys that are still needed. */
function findLastUse(now: Date): Date {
  return new Date(now.getTime() - VIEWER_TOKEN_LIFETIME - KEY_SLACK);
}

/** Computes the JWK thumbprint of a key (RFC 7638): the SHA-256 of its members in this order. */
function toThumbprint(key: KeyObject): string {
  const { crv, kty, x, y } = key.export({ format: "jwk" });
  return createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");
}
