import type { HandlerContext } from "@connectrpc/connect";
import {
  type RequiredReference,
  referenceNotFound,
} from "../../domain/messages/required-references.ts";
import { getStore } from "../steps/call.ts";

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
  { values }: HandlerContext,
  { projectId, references, path }: WrittenReferences,
): Promise<void> {
  const { documents } = getStore(values);
  for (const reference of references) {
    const [found] = await documents[reference.type].getMany([reference.id]);
    if (found?.value.projectId !== projectId) throw referenceNotFound(reference, path);
  }
}
