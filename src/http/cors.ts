import { cors } from "@connectrpc/connect";
import type { Exchange } from "./exchange.ts";

/** How long a browser keeps the answer to a preflight, in seconds. */
const MAX_AGE = 7_200;

const ALLOWED_HEADERS = [
  ...cors.allowedHeaders,
  "Authorization",
  "If-None-Match",
  "X-Request-Id",
].join(", ");

const EXPOSED_HEADERS = [
  ...cors.exposedHeaders,
  "ETag",
  "Retry-After",
  "WWW-Authenticate",
  "X-Request-Id",
].join(", ");

/**
 * Lets web pages of every origin read the answer. Credentials are the Authorization header, which a
 * page must know to send, so any origin may try.
 */
export function allowOrigins({ response }: Exchange): void {
  response.setHeader("access-control-allow-origin", "*");
  response.setHeader("access-control-expose-headers", EXPOSED_HEADERS);
}

/** Tells whether a request is a browser's preflight. */
export function isPreflight({ method, request }: Exchange): boolean {
  return method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined;
}

/** Makes the headers that answer a preflight. */
export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  return {
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers": ALLOWED_HEADERS,
    "access-control-max-age": String(MAX_AGE),
    vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
  };
}
