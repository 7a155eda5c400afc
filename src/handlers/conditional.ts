import type { HandlerContext } from "@connectrpc/connect";
import { checkIfMatch, parseIfMatch, toEntityTag } from "../domain/messages/etag.ts";
import type { Stored } from "../storage/stored.ts";

/**
 * Reads the request's If-Match and returns the check of it, to be called with the current state
 * inside the write (`undefined`: there is none yet). ABORTED `ETAG_MISMATCH` if it does not hold.
 */
export function readIfMatch(
  context: HandlerContext,
): (current: Stored<unknown> | undefined) => void {
  const demand = parseIfMatch(context.requestHeader.get("if-match"));
  return (current) => checkIfMatch(demand, current && toEntityTag(current.revision));
}

/** Puts the entity tag of the one resource that is answered into the answer's ETag. */
export function tagAnswer(context: HandlerContext, stored: Stored<unknown>): void {
  context.responseHeader.set("etag", toEntityTag(stored.revision));
}
