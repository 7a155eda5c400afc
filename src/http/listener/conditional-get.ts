import { hash } from "node:crypto";
import { type EntityTag, matchesIfNoneMatch } from "../../domain/etag.ts";
import type { Answer, Exchange } from "./exchange.ts";

/**
 * Returns the strong entity tag of the response to a read whose handler has set none: a hash of the bytes as
 * sent, so that each content coding has its own.
 */
export function toTag(body: Uint8Array): EntityTag {
  return `"${hash("sha256", body, "base64url")}"`;
}

/**
 * Replaces a response by 304 without the headers that describe a body if the client of a GET already has it, even
 * under `no-cache`: the tag is compared with the current response, so no cache is trusted (contract: delivery 7).
 */
export function toConditionalAnswer({ method, request }: Exchange, answer: Answer): Answer {
  const { etag } = answer.headers;
  const ifNoneMatch = request.headers["if-none-match"];
  if (etag === undefined || ifNoneMatch === undefined || method !== "GET") return answer;
  if (ifNoneMatch !== etag && !matchesIfNoneMatch(ifNoneMatch, etag)) return answer;
  const { "content-type": _type, "content-encoding": _encoding, ...headers } = answer.headers;
  return { ...answer, status: 304, headers, body: new Uint8Array() };
}
