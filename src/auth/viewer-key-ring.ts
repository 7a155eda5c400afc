import type { KeyObject } from "node:crypto";
import type { Store } from "../storage/store.ts";
import type { ViewerTokenKey } from "../storage/viewer-token-key-store.ts";
import { findKeyEnd, readPrivateKey, readPublicKey } from "./viewer-token-key.ts";

/** Where the keys of viewer tokens are kept, and what tells that they may have changed. */
export type ViewerKeySource = Pick<Store, "accessVersion" | "viewerTokenKeys">;

/** A key that signs, with the id that its tokens name. */
export interface SigningKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** The keys of viewer tokens as they are in the store, read anew when something has changed there. */
export interface ViewerKeyRing {
  /** Gets the key that signs. */
  getSigning(): Promise<SigningKey>;
  /** Finds the public key of an id, as long as a token that it signed may hold. */
  find(id: string, now: Date): Promise<KeyObject | undefined>;
  /** Lists the public keys whose tokens may hold, the one that signs first. */
  list(now: Date): Promise<readonly { readonly id: string; readonly key: KeyObject }[]>;
}

interface Keys {
  readonly signing: SigningKey;
  readonly all: readonly { readonly stored: ViewerTokenKey; readonly key: KeyObject }[];
}

/** Creates the ring; the store must have a key that signs. */
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
    if (signing === undefined) throw new Error("no key signs viewer tokens");
    const earlier = last;
    // Reading a key takes longer than finding it: those that stayed are not read again.
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
      // Another process may have begun with a key a moment before its change is seen here.
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
