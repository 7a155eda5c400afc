import { hashToken } from "../../auth/token.ts";
import type { ProjectKey } from "../../storage/contract/access.ts";
import type { Store } from "../../storage/contract/store.ts";

/** The most project keys cached in memory. */
const MOST_KEYS = 10_000;

type KeyStore = Pick<Store, "accessVersion" | "knownRevision"> & {
  readonly access: Pick<Store["access"], "findProjectKey">;
  readonly delivery?: { readonly access: Pick<Store["access"], "findProjectKey"> };
};

/**
 * Looks up project keys, each hashed and read once until a credential changes: changes of content must not matter,
 * because the Delivery API works without the primary.
 */
export class ProjectKeys {
  readonly #store: KeyStore;
  readonly #keys = new Map<string, ProjectKey>();
  #version: number | undefined;

  constructor(store: KeyStore) {
    this.#store = store;
  }

  /** Finds the project key of a token; undefined if there is none. */
  async find(token: string): Promise<ProjectKey | undefined> {
    const known = this.#keys.get(token);
    const revision = known && this.#store.knownRevision(known.projectId);
    // Read after the revision: a key that is still there is valid at it.
    const newest = this.#store.accessVersion();
    if (known !== undefined && newest === this.#version) {
      return revision === undefined ? known : { ...known, revision };
    }
    if (newest !== this.#version || this.#keys.size >= MOST_KEYS) this.#keys.clear();
    this.#version = newest;
    const { access } = this.#store.delivery ?? this.#store;
    const key = await access.findProjectKey(hashToken(token));
    if (key !== undefined && this.#version === newest) this.#keys.set(token, key);
    return key;
  }
}
