import { type RequiredReference, referenceNotFound } from "../../domain/references.ts";
import type { StudioCall } from "../steps/studio-call.ts";

/** The references that a call has written. */
export interface WrittenReferences {
  readonly projectId: string;
  readonly references: readonly RequiredReference[];
  /** The name of the resource in the request. */
  readonly path: string;
}

/**
 * Checks that written references name resources of the project; the failure rolls the call's transaction back.
 * INVALID_ARGUMENT `REFERENCE_NOT_FOUND`.
 */
export async function checkReferences(
  call: StudioCall,
  { projectId, references, path }: WrittenReferences,
): Promise<void> {
  const { documents } = call.store;
  for (const reference of references) {
    const [found] = await documents[reference.type].getMany([reference.id]);
    if (found?.value.projectId !== projectId) throw referenceNotFound(reference, path);
  }
}
