import { readFile } from "node:fs/promises";
import type { Endpoint } from "../listener/exchange.ts";
import { documentEndpoint } from "./document.ts";

/** Pictures are content, and the Delivery API may have another URL, so both may be of any origin. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src http: https: data:",
  "connect-src http: https:",
  ...["base-uri", "form-action", "frame-ancestors"].map((it) => `${it} 'none'`),
].join("; ");

const HEADERS = {
  // The files keep their names when a version changes them together.
  "cache-control": "no-cache",
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/**
 * Creates `/preview`, which `packages/preview` bundles, and the files that it loads. They hold no
 * credentials: the user enters them.
 */
export function previewEndpoints(): [string, Endpoint][] {
  return [
    ["/preview", bundled("index.html", "text/html; charset=utf-8")],
    ["/preview/preview.js", bundled("preview/preview.js", "text/javascript; charset=utf-8")],
    ["/preview/preview.css", bundled("preview/preview.css", "text/css; charset=utf-8")],
  ];
}

function bundled(name: string, contentType: string): Endpoint {
  const url = new URL(`../../../packages/preview/dist/${name}`, import.meta.url);
  return documentEndpoint(contentType, () => readFile(url), HEADERS);
}
