import type { KeyObject } from "node:crypto";
import type { ViewerTokenKey } from "../storage/contract/sign-in.ts";
import type { Store } from "../storage/contract/store.ts";
import { findKeyEnd, readPrivateKey, readPublicKey } from "./viewer-token-key.ts";

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
  #last: Keys | undefined;

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
    const last = this.#last;
    // Parsing a key is slow, so unchanged keys are reused.
    const all = [signing, ...retired].map((stored) => ({
      stored,
      key: last?.all.find((entry) => entry.stored.id === stored.id)?.key ?? readPublicKey(stored),
    }));
    const isSame = last?.signing.id === signing.id;
    this.#last = {
      signing: isSame ? last.signing : { id: signing.id, key: readPrivateKey(signing) },
      all,
    };
    return this.#last;
  }
}

function mayHold(key: ViewerTokenKey, now: Date): boolean {
  const end = findKeyEnd(key);
  return end === undefined || now < end;
}
