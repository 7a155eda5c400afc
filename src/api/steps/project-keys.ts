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
    const newest = this.#store.accessVersion();
    if (newest !== this.#version || this.#keys.size >= MOST_KEYS) this.#keys.clear();
    this.#version = newest;
    const cached = this.#keys.get(token);
    if (cached !== undefined) {
      const revision = this.#store.knownRevision(cached.projectId);
      // A key that is still there is valid at the revision that is known with the version.
      return revision === undefined ? cached : { ...cached, revision };
    }
    const { access } = this.#store.delivery ?? this.#store;
    const key = await access.findProjectKey(hashToken(token));
    if (key !== undefined && this.#version === newest) this.#keys.set(token, key);
    return key;
  }
}
