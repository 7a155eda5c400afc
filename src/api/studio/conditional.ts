import type { HandlerContext } from "@connectrpc/connect";
import { checkIfMatch, parseIfMatch, toEntityTag } from "../../domain/messages/etag.ts";
import type { Stored } from "../../storage/stored.ts";

/**
 * Reads the request's If-Match and returns its check, to be called with the current state inside the write
 * (undefined: the resource does not exist yet). ABORTED `ETAG_MISMATCH`.
 */
export function readIfMatch(
  context: HandlerContext,
): (current: Stored<unknown> | undefined) => void {
  const condition = parseIfMatch(context.requestHeader.get("if-match"));
  return (current) => checkIfMatch(condition, current && toEntityTag(current.revision));
}

/** Sets the ETag of an answer that is one resource. */
export function tagAnswer(context: HandlerContext, stored: Stored<unknown>): void {
  context.responseHeader.set("etag", toEntityTag(stored.revision));
}
