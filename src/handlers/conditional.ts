import type { HandlerContext } from "@connectrpc/connect";
import { checkIfMatch, parseIfMatch, toEntityTag } from "../domain/messages/etag.ts";
import type { Stored } from "../storage/stored.ts";

/**
 * Reads If-Match of the request and returns a check to be called inside the write with the current state
 * (undefined: none yet). ABORTED `ETAG_MISMATCH` if the condition fails.
 */
export function readIfMatch(
  context: HandlerContext,
): (current: Stored<unknown> | undefined) => void {
  const condition = parseIfMatch(context.requestHeader.get("if-match"));
  return (current) => checkIfMatch(condition, current && toEntityTag(current.revision));
}

/** Sets the ETag of a response to the entity tag of its resource. */
export function tagAnswer(context: HandlerContext, stored: Stored<unknown>): void {
  context.responseHeader.set("etag", toEntityTag(stored.revision));
}
