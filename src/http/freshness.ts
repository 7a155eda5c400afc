import { hash } from "node:crypto";
import { matchesIfNoneMatch } from "../domain/etag.ts";
import type { Answer, Exchange } from "./exchange.ts";

/**
 * Gives the answer to a read its strong entity tag, and answers 304 to a GET of whoever has it
 * already, also if the request says `no-cache`: the tag is compared with the newest answer, so no
 * cache is trusted (CONTRACT 6, Freshness). The tag is made of the bytes as they are sent, so each
 * encoding has its own.
 */
export function toFreshAnswer({ method, request }: Exchange, answer: Answer): Answer {
  const isGrpc = answer.headers["content-type"]?.startsWith("application/grpc") === true;
  if (answer.status !== 200 || isGrpc) return answer;
  const etag = answer.headers.etag ?? `"${hash("sha256", answer.body, "base64url")}"`;
  const fresh = { ...answer, headers: { ...answer.headers, etag } };
  const known = request.headers["if-none-match"] ?? null;
  if (method !== "GET" || !matchesIfNoneMatch(known, etag)) return fresh;
  return { ...fresh, status: 304, headers: withoutContent(fresh.headers), body: new Uint8Array() };
}

/** An answer without a body says nothing of one. */
function withoutContent(headers: Answer["headers"]): Answer["headers"] {
  const { "content-type": _type, "content-encoding": _encoding, ...rest } = headers;
  return rest;
}
