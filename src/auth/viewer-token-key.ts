import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import type {
  NewViewerTokenKey,
  ViewerTokenKey,
  ViewerTokenKeyStore,
} from "../storage/viewer-token-key-store.ts";

/** How long a viewer token lasts at the most, in milliseconds. */
export const VIEWER_TOKEN_LIFETIME = 12 * 3_600_000;

/**
 * For how long a retired key is kept beyond the lifetime of a token, in milliseconds: other processes
 * learn of a rotation a moment later, and their clocks differ.
 */
const KEY_SLACK = 60_000;

/** Makes a key pair (P-256) that was not there before. */
export function createViewerTokenKey(now: Date): NewViewerTokenKey {
  const { privateKey } = generateKeyPairSync("ec", {
    namedCurve: "P-256",
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  return toViewerTokenKey(Buffer.from(privateKey), now);
}

/** Makes the key pair of a private key (PKCS #8 in PEM). */
function toViewerTokenKey(privateKey: Uint8Array, now: Date): NewViewerTokenKey {
  const key = createPublicKey(Buffer.from(privateKey));
  const publicKey = Buffer.from(key.export({ type: "spki", format: "pem" }));
  return { id: toThumbprint(key), publicKey, privateKey, createTime: now };
}

/** Sees to it that a key signs: the one that there is, that of an earlier release, or a new one. */
export function beginViewerTokenKeys(store: ViewerTokenKeyStore, now: Date): Promise<void> {
  return store.begin((earlier) =>
    earlier === undefined ? createViewerTokenKey(now) : toViewerTokenKey(earlier, now),
  );
}

/** Puts a new key in the place of the one that signs, whose tokens go on to hold; tells its id. */
export async function rotateViewerTokenKeys(
  store: ViewerTokenKeyStore,
  now: Date,
): Promise<string> {
  // What an earlier release signed with is to be retired like any other key.
  await beginViewerTokenKeys(store, now);
  const key = createViewerTokenKey(now);
  await store.rotate({ key, now, dropBefore: findLastUse(now) });
  return key.id;
}

/** Reads the private half of a key pair. */
export function readPrivateKey({ privateKey }: NewViewerTokenKey): KeyObject {
  return createPrivateKey(Buffer.from(privateKey));
}

/** Reads the public half of a key pair. */
export function readPublicKey({ publicKey }: Pick<ViewerTokenKey, "publicKey">): KeyObject {
  return createPublicKey(Buffer.from(publicKey));
}

/** Tells when the last token that a key signed has ended; `undefined` while it signs. */
export function findKeyEnd({ retireTime }: ViewerTokenKey): Date | undefined {
  return retireTime && new Date(retireTime.getTime() + VIEWER_TOKEN_LIFETIME + KEY_SLACK);
}

/** Tells which keys no token can need any more: those that were retired before this time. */
function findLastUse(now: Date): Date {
  return new Date(now.getTime() - VIEWER_TOKEN_LIFETIME - KEY_SLACK);
}

/** Names a key as RFC 7638 does: by the SHA-256 of its members in this order. */
function toThumbprint(key: KeyObject): string {
  const { crv, kty, x, y } = key.export({ format: "jwk" });
  return createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");
}
