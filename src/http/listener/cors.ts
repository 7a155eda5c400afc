import { cors } from "@connectrpc/connect";
import {
  type Cors,
  type CorsHeaders,
  type Exchange,
  type HttpResponse,
  isProcedure,
} from "./exchange.ts";

/** How long a browser caches the response to a preflight, in seconds. */
const MAX_AGE = 7_200;

const ALLOWED_HEADERS = [
  ...cors.allowedHeaders,
  "Authorization",
  "Cache-Control",
  "If-Match",
  "If-None-Match",
  "Pragma",
  "Traceparent",
  "Tracestate",
  "X-Consistency-Token",
  "X-Organization-Id",
  "X-Preview-Audience",
  "X-Preview-Country",
  "X-Preview-Time",
  "X-Project-Id",
  "X-Release-Id",
  "X-Request-Id",
].join(", ");

const EXPOSED_HEADERS = [
  ...cors.exposedHeaders,
  "ETag",
  "Marquee-State",
  "Marquee-Warnings",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Surrogate-Key",
  "WWW-Authenticate",
  "X-Consistency-Token",
  "X-Pending-Releases",
  "X-Pending-Releases-More",
  "X-Request-Id",
].join(", ");

/**
 * The headers that let web pages of every origin read a response of the Delivery API. Credentials are the Authorization header,
 * which a page must know to send, so every origin is safe.
 */
export const CORS_HEADERS: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": EXPOSED_HEADERS,
};

/**
 * Creates the decision. The Delivery API allows every origin. The Studio API allows `studioOrigins`, and every one
 * by `*`.
 */
export function createCors(studioOrigins: readonly string[]): Cors {
  const allowed = new Set(studioOrigins);
  const varying: CorsHeaders = { vary: "Origin" };
  return ({ headers: { origin } }, path) => {
    if (isProcedure(path) && !path.startsWith(STUDIO)) return CORS_HEADERS;
    if (allowed.size === 0) return NO_HEADERS;
    if (allowed.has("*")) return CORS_HEADERS;
    if (origin === undefined || !allowed.has(origin)) return varying;
    return { ...CORS_HEADERS, ...varying, "access-control-allow-origin": origin };
  };
}

const STUDIO = "/svc.studio.";

const NO_HEADERS: CorsHeaders = {};

/** Reports whether a request is a browser's preflight. */
export function isPreflight({ method, request }: Exchange): boolean {
  return method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined;
}

/** Creates the response to a preflight. */
export function allowMethods(methods: readonly string[]): HttpResponse {
  const headers = {
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers": ALLOWED_HEADERS,
    "access-control-max-age": String(MAX_AGE),
    vary: "Access-Control-Request-Method, Access-Control-Request-Headers",
  };
  return { status: 204, headers, body: new Uint8Array() };
}
