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
  const kept = haveLeaked ? -VIEWER_TOKEN_LIFETIME : VIEWER_TOKEN_LIFETIME + KEY_SLACK;
  await store.rotate({ key, now, dropBefore: new Date(now.getTime() - kept) });
  return key.id;
}

/** Returns the time when all tokens signed by a key have expired; undefined while it signs. */
export function findKeyEnd({ retireTime }: ViewerTokenKey): Date | undefined {
  return retireTime && new Date(retireTime.getTime() + VIEWER_TOKEN_LIFETIME + KEY_SLACK);
}

/** Computes the JWK thumbprint of a key (RFC 7638): the SHA-256 of its members in this order. */
function toThumbprint(key: KeyObject): string {
  const { crv, kty, x, y } = key.export({ format: "jwk" });
  return createHash("sha256").update(JSON.stringify({ crv, kty, x, y })).digest("base64url");
}

/** The store of the keys of viewer tokens, with the version that changes with them. */
export type ViewerKeySource = Pick<Store, "accessVersion" | "viewerTokenKeys">;

/** The private key that signs tokens, with the id in their header. */
export interface SigningKey {
  readonly id: string;
  readonly key: KeyObject;
}

interface Keys {
  readonly signing: SigningKey;
  readonly all: readonly { readonly stored: ViewerTokenKey; readonly key: KeyObject }[];
}

/** Caches the keys of viewer tokens and reads them again when the store has changed. It must contain a signing key. */
export class ViewerKeyRing {
  readonly #source: ViewerKeySource;
  #version: number | undefined;
  #keys: Promise<Keys> | undefined;

  constructor(source: ViewerKeySource) {
    this.#source = source;
  }

  /** Returns the key that signs. */
  async getSigning(): Promise<SigningKey> {
    return (await this.#get()).signing;
  }

  /** Returns the public key with an id, unless all tokens that it signed have expired. */
  async find(id: string, now: Date): Promise<KeyObject | undefined> {
    const findIn = ({ all }: Keys) => all.find(({ stored }) => stored.id === id);
    // Another process may already sign with a key whose change is not visible here yet.
    const entry = findIn(await this.#get()) ?? findIn(await this.#read());
    return entry && mayHold(entry.stored, now) ? entry.key : undefined;
  }

  /** Lists the public keys whose tokens may still be valid, the signing key first. */
  async list(now: Date): Promise<readonly { readonly id: string; readonly key: KeyObject }[]> {
    const { all } = await this.#get();
    return all
      .filter(({ stored }) => mayHold(stored, now))
      .map(({ stored, key }) => ({ id: stored.id, key }));
  }

  #get(): Promise<Keys> {
    const isCurrent = this.#version === this.#source.accessVersion();
    return isCurrent && this.#keys !== undefined ? this.#keys : this.#read();
  }

  #read(): Promise<Keys> {
    this.#version = this.#source.accessVersion();
    const keys = this.#readKeys();
    this.#keys = keys;
    keys.catch(() => {
      if (this.#keys === keys) this.#keys = undefined;
    });
    return keys;
  }

  async #readKeys(): Promise<Keys> {
    const { signing, retired } = await this.#source.viewerTokenKeys.get();
    if (signing === undefined) throw new Error("no signing key for viewer tokens");
    const all = [signing, ...retired].map((stored) => ({
      stored,
      key: createPublicKey(Buffer.from(stored.publicKey)),
    }));
    return {
      signing: { id: signing.id, key: createPrivateKey(Buffer.from(signing.privateKey)) },
      all,
    };
  }
}

function mayHold(key: ViewerTokenKey, now: Date): boolean {
  const end = findKeyEnd(key);
  return end === undefined || now < end;
}
