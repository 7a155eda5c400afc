import { hashToken } from "../auth/token.ts";
import { createLookupMemo } from "../storage/lookup-memo.ts";
import type { ProjectKey, Store } from "../storage/store.ts";

/** The most project keys cached in memory. */
const MOST_KEYS = 10_000;

/** Finds the project key of a token; undefined if there is none. */
export type FindProjectKey = (token: string) => Promise<ProjectKey | undefined>;

/** Creates the look-up, which hashes and reads a key once per revision of its project, as every delivery request has one. */
export function createFindProjectKey(
  store: Pick<Store, "knownRevision"> & {
    readonly access: Pick<Store["access"], "findProjectKey">;
  },
): FindProjectKey {
  const keys = createLookupMemo<Required<ProjectKey>>(store, MOST_KEYS);
  return (token) => keys.find(token, () => store.access.findProjectKey(hashToken(token)));
}
