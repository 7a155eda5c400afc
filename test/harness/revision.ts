import type { Store } from "../../src/storage/store.ts";

/** Reads a project's revision as it is at this moment, whoever moved it; NOT_FOUND without the project. */
export function revisionOf(store: Store, projectId: string): Promise<number> {
  return store.snapshot({ projectId }, async (_, revision) => revision);
}
