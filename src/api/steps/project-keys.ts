import { hashToken } from "../../auth/token.ts";
import type { ProjectKey, Store } from "../../storage/store.ts";

/** The most project keys cached in memory. */
const MOST_KEYS = 10_000;

/** Finds the project key of a token; undefined if there is none. */
export type FindProjectKey = (token: string) => Promise<ProjectKey | undefined>;

type KeyStore = Pick<Store, "accessVersion" | "knownRevision"> & {
  readonly access: Pick<Store["access"], "findProjectKey">;
  readonly delivery?: { readonly access: Pick<Store["access"], "findProjectKey"> };
};

/**
 * Creates the look-up, which hashes and reads a key once until a credential changes: changes of content must not
 * depend on it, as delivery goes on without the primary.
 */
export function createFindProjectKey(store: KeyStore): FindProjectKey {
  const { access } = store.delivery ?? store;
  const keys = new Map<string, ProjectKey>();
  let version: number | undefined;
  return async (token) => {
    const newest = store.accessVersion();
    if (newest !== version || keys.size >= MOST_KEYS) keys.clear();
    version = newest;
    const known = keys.get(token);
    if (known !== undefined) {
      const revision = store.knownRevision(known.projectId);
      // A key that is still there is valid at the revision that is known with the version.
      return revision === undefined ? known : { ...known, revision };
    }
    const found = await access.findProjectKey(hashToken(token));
    if (found !== undefined && version === newest) keys.set(token, found);
    return found;
  };
}
