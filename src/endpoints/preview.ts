import { readFileSync } from "node:fs";
import { toConditionalAnswer, toTag } from "../http/cache/conditional-get.ts";
import type { Endpoint } from "../http/server/dispatcher.ts";

/** The files of the page, which `npm run generate` builds from `preview/`: name, path and type. */
const FILES = [
  ["index.html", "/preview", "text/html; charset=utf-8"],
  ["preview.js", "/preview/preview.js", "text/javascript; charset=utf-8"],
  ["preview.css", "/preview/preview.css", "text/css; charset=utf-8"],
] as const;

/** Pictures are content, and delivery may answer at another address, so both may be of any origin. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src http: https: data:",
  "connect-src http: https:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS = {
  "cache-control": "no-cache",
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Creates `/preview` and the files that it loads. It holds no credentials: its user enters them. */
export function previewEndpoints(): [string, Endpoint][] {
  return FILES.map(([name, path, type]) => {
    const body = readFileSync(new URL(`../../gen/preview/${name}`, import.meta.url));
    const headers = { ...HEADERS, "content-type": type, etag: toTag(body) };
    return [path, (exchange) => toConditionalAnswer(exchange, { status: 200, headers, body })];
  });
}
