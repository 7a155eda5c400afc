import { hash } from "node:crypto";
import { type EntityTag, matchesIfNoneMatch } from "../../domain/messages/etag.ts";
import type { Answer, Exchange } from "../server/exchange.ts";

/**
 * Returns the strong entity tag of the answer to a read whose handler has set none: a hash of the bytes as
 * sent, so that each content coding has its own.
 */
export function toTag(body: Uint8Array): EntityTag {
  return `"${hash("sha256", body, "base64url")}"`;
}

/**
 * Replaces an answer by 304 if the client of a GET already has it, even under `no-cache`: the tag is compared
 * with the current answer, so no cache is trusted (contract: delivery 7).
 */
export function toConditionalAnswer({ method, request }: Exchange, answer: Answer): Answer {
  const { etag } = answer.headers;
  const known = request.headers["if-none-match"] ?? null;
  if (etag === undefined || method !== "GET" || !matchesIfNoneMatch(known, etag)) return answer;
  return toUnmodifiedAnswer(answer);
}

/** Returns the 304 of an answer, without the headers that describe a body. */
export function toUnmodifiedAnswer(answer: Answer): Answer {
  const { "content-type": _type, "content-encoding": _encoding, ...headers } = answer.headers;
  return { ...answer, status: 304, headers, body: new Uint8Array() };
}
