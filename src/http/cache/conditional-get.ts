import { hash } from "node:crypto";
import { matchesIfNoneMatch } from "../../domain/messages/etag.ts";
import type { Answer, Exchange } from "../server/exchange.ts";

/**
 * Adds a strong entity tag to the answer to a read, unless its handler has set one. The tag is a hash of the
 * bytes as sent, so each content coding has its own.
 */
export function toTaggedAnswer(answer: Answer): Answer {
  const isGrpc = answer.headers["content-type"]?.startsWith("application/grpc") === true;
  if (answer.status !== 200 || isGrpc || answer.headers.etag !== undefined) return answer;
  const etag = `"${hash("sha256", answer.body, "base64url")}"`;
  return { ...answer, headers: { ...answer.headers, etag } };
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

/** Makes an error `no-store` (contract: delivery 7), whatever its source. */
export function toUncacheableError(answer: Answer): Answer {
  if (answer.status === 200 || answer.headers["cache-control"] !== undefined) return answer;
  return { ...answer, headers: { ...answer.headers, "cache-control": "no-store" } };
}
