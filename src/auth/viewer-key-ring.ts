import type { KeyObject } from "node:crypto";
import type { Store } from "../storage/store.ts";
import type { ViewerTokenKey } from "../storage/viewer-token-key-store.ts";
import { findKeyEnd, readPrivateKey, readPublicKey } from "./viewer-token-key.ts";

/** The store of the keys of viewer tokens, with the version that changes with them. */
export type ViewerKeySource = Pick<Store, "accessVersion" | "viewerTokenKeys">;

/** The private key that signs tokens, with the id in their header. */
export interface SigningKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** Caches the keys of viewer tokens and reads them again when the store has changed. */
export interface ViewerKeyRing {
  /** Returns the key that signs. */
  getSigning(): Promise<SigningKey>;
  /** Returns the public key with an id, unless all tokens that it signed have expired. */
  find(id: string, now: Date): Promise<KeyObject | undefined>;
  /** Lists the public keys whose tokens may still be valid, the signing key first. */
  list(now: Date): Promise<readonly { readonly id: string; readonly key: KeyObject }[]>;
}

interface Keys {
  readonly signing: SigningKey;
  readonly all: readonly { readonly stored: ViewerTokenKey; readonly key: KeyObject }[];
}

/** Creates the cache; the store must contain a signing key. */
export function createViewerKeyRing({
  viewerTokenKeys,
  accessVersion,
}: ViewerKeySource): ViewerKeyRing {
  let known: { readonly version: number; readonly keys: Promise<Keys> } | undefined;
  let last: Keys | undefined;

  function getKeys(): Promise<Keys> {
    const newest = accessVersion();
    if (known?.version === newest) return known.keys;
    return read(newest);
  }

  function read(newest: number): Promise<Keys> {
    const keys = readKeys();
    const entry = { version: newest, keys };
    known = entry;
    keys.catch(() => {
      if (known === entry) known = undefined;
    });
    return keys;
  }

  async function readKeys(): Promise<Keys> {
    const { signing, retired } = await viewerTokenKeys.get();
    if (signing === undefined) throw new Error("no signing key for viewer tokens");
    const earlier = last;
    // Parsing a key is slow, so unchanged keys are reused.
    const all = [signing, ...retired].map((stored) => ({
      stored,
      key: earlier?.all.find((it) => it.stored.id === stored.id)?.key ?? readPublicKey(stored),
    }));
    const isSame = earlier?.signing.id === signing.id;
    last = {
      signing: isSame ? earlier.signing : { id: signing.id, key: readPrivateKey(signing) },
      all,
    };
    return last;
  }

  function findIn({ all }: Keys, id: string): Keys["all"][number] | undefined {
    return all.find(({ stored }) => stored.id === id);
  }

  return {
    getSigning: async () => (await getKeys()).signing,

    async find(id, now) {
      // Another process may already sign with a key whose change is not visible here yet.
      const found = findIn(await getKeys(), id) ?? findIn(await read(accessVersion()), id);
      return found && mayHold(found.stored, now) ? found.key : undefined;
    },

    async list(now) {
      const { all } = await getKeys();
      return all
        .filter(({ stored }) => mayHold(stored, now))
        .map(({ stored, key }) => ({ id: stored.id, key }));
    },
  };
}

function mayHold(key: ViewerTokenKey, now: Date): boolean {
  const end = findKeyEnd(key);
  return end === undefined || now < end;
}
