import { cors } from "@connectrpc/connect";
import type { Exchange } from "./exchange.ts";

/** The time for which a browser caches the answer to a preflight, in seconds. */
const MAX_AGE = 7_200;

const ALLOWED_HEADERS = [
  ...cors.allowedHeaders,
  "Authorization",
  "Cache-Control",
  "If-None-Match",
  "Pragma",
  "X-Consistency-Token",
  "X-Organization-Id",
  "X-Request-Id",
].join(", ");

const EXPOSED_HEADERS = [
  ...cors.exposedHeaders,
  "ETag",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "WWW-Authenticate",
  "X-Consistency-Token",
  "X-Request-Id",
].join(", ");

/**
 * The headers that let web pages of every origin read an answer. Credentials are the Authorization header,
 * which a page must know to send, so every origin is safe.
 */
export const CORS_HEADERS: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": EXPOSED_HEADERS,
};

/** Reports whether a request is a browser's preflight. */
export function isPreflight({ method, request }: Exchange): boolean {
  return method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined;
}

/** Returns the headers of the answer to a preflight. */
export function preflightHeaders(methods: readonly string[]): Record<string, string> {
  return {
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers": ALLOWED_HEADERS,
    "access-control-max-age": String(MAX_AGE),
    vary: "Access-Control-Request-Method, Access-Control-Request-Headers",
  };
}
