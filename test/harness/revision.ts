import { notFound } from "../../src/domain/base/errors.ts";
import type { Store } from "../../src/storage/contract/store.ts";

/** Reads a project's revision as it is at this moment, whoever moved it; NOT_FOUND without the project. */
export async function revisionOf(store: Store, projectId: string): Promise<number> {
  await store.catchUp();
  const revision = store.knownRevision(projectId);
  if (revision === undefined) throw notFound("project", projectId);
  return revision;
}
