import { Code, DomainError } from "../domain/errors.ts";
import type { Store } from "../storage/store.ts";
import type { Caller } from "./context.ts";

/**
 * The header of the answer to a write, with a revision of the project that holds the write. A client that sends it
 * with a read gets an answer at least as new, from whichever process it reaches.
 */
export const CONSISTENCY_HEADER = "x-consistency-token";

/** An id with percent escapes, and a number that is always exact. */
const TOKEN = /^([\w.~!'()*%-]+):(\d{1,15})$/;

/** Prints the token of a project at a revision. */
export function printConsistencyToken(projectId: string, revision: number): string {
  return `${encodeURIComponent(projectId)}:${revision}`;
}

/**
 * Learns what others have changed if the token of a request is newer than what is known of its project; returns true
 * if it did, after which the caller must be authenticated again. A token of a project that the caller's key is not for
 * changes nothing. INVALID_ARGUMENT `CONSISTENCY_TOKEN_INVALID`.
 */
export async function awaitConsistency(
  store: Pick<Store, "catchUp" | "knownRevision">,
  header: string,
  caller: Caller,
): Promise<boolean> {
  const { projectId, revision } = parseToken(header);
  if (caller.kind === "project" && caller.key.projectId !== projectId) return false;
  if ((store.knownRevision(projectId) ?? 0) >= revision) return false;
  await store.catchUp();
  return true;
}

function parseToken(header: string): { readonly projectId: string; readonly revision: number } {
  const [, id, revision] = TOKEN.exec(header) ?? [];
  try {
    if (id !== undefined) return { projectId: decodeURIComponent(id), revision: Number(revision) };
  } catch {
    // A broken escape.
  }
  throw new DomainError(
    Code.INVALID_ARGUMENT,
    "CONSISTENCY_TOKEN_INVALID",
    `the header ${CONSISTENCY_HEADER} must be one that the answer to a write had`,
  );
}
