import { hash } from "node:crypto";
import { matchesIfNoneMatch } from "../../domain/messages/etag.ts";
import type { Answer, Exchange } from "../server/exchange.ts";

/**
 * Gives the answer to a read its strong entity tag, unless its handler did. The tag is made of the
 * bytes as they are sent, so each encoding has its own.
 */
export function toTaggedAnswer(answer: Answer): Answer {
  const isGrpc = answer.headers["content-type"]?.startsWith("application/grpc") === true;
  if (answer.status !== 200 || isGrpc || answer.headers.etag !== undefined) return answer;
  const etag = `"${hash("sha256", answer.body, "base64url")}"`;
  return { ...answer, headers: { ...answer.headers, etag } };
}

/**
 * Answers 304 to a GET of whoever has the answer already, also if the request says `no-cache`: the tag
 * is compared with the newest answer, so no cache is trusted (CONTRACT 6, Freshness).
 */
export function toConditionalAnswer({ method, request }: Exchange, answer: Answer): Answer {
  const { etag } = answer.headers;
  const known = request.headers["if-none-match"] ?? null;
  if (etag === undefined || method !== "GET" || !matchesIfNoneMatch(known, etag)) return answer;
  return toUnmodifiedAnswer(answer);
}

/** Makes the 304 of an answer: without a body, it says nothing of one. */
export function toUnmodifiedAnswer(answer: Answer): Answer {
  const { "content-type": _type, "content-encoding": _encoding, ...headers } = answer.headers;
  return { ...answer, status: 304, headers, body: new Uint8Array() };
}

/** Sees to it that nobody keeps an error (CONTRACT 6, Freshness), whoever wrote it. */
export function toUnkeptError(answer: Answer): Answer {
  if (answer.status === 200 || answer.headers["cache-control"] !== undefined) return answer;
  return { ...answer, headers: { ...answer.headers, "cache-control": "no-store" } };
}
