import { readFile } from "node:fs/promises";
import type { Endpoint, HttpResponse } from "../listener/exchange.ts";
import { type BrowserPage, documentEndpoint } from "./documents.ts";

/** The page that `web/studio` bundles. */
export const STUDIO: BrowserPage = {
  path: "/studio",
  title: "Studio",
  about:
    "Edit the content and the pages of a project, see them as viewers do, and schedule changes.",
};

/**
 * Creates `/studio` and the files that it loads, the OpenAPI document among them. It calls only the server that serves it.
 * Pictures are content, which may have any origin. Links to `/preview`, which was a page of its own, lead here with their
 * fragment.
 */
export function studioEndpoints(openApi: Endpoint): [string, Endpoint][] {
  return [
    ...bundle("studio", ["img-src http: https: data:", "connect-src 'self'"]),
    ["/studio/openapi.json", openApi],
    ["/preview", () => MOVED],
  ];
}

const MOVED: HttpResponse = {
  status: 308,
  // Relative, because the page may lie below a path of a proxy.
  headers: { location: "studio", "cache-control": "no-cache" },
  body: new Uint8Array(),
};

/** The page that `web/reference` bundles: it shows the OpenAPI document and sends requests. */
export const REFERENCE: BrowserPage = {
  path: "/reference",
  title: "Reference",
  about: "Look up every method of both APIs, and send its example to this server.",
};

/** Creates `/reference` and the files that it loads. It calls only the server that serves it. */
export function referenceEndpoints(): [string, Endpoint][] {
  return bundle("reference", ["img-src data:", "connect-src 'self'"]);
}

/** Returns the headers of a page that loads nothing unless a directive of its content security policy allows it. */
export function pageHeaders(directives: readonly string[]): HttpResponse["headers"] {
  const denied = ["base-uri", "form-action", "frame-ancestors"].map((it) => `${it} 'none'`);
  return {
    "content-security-policy": ["default-src 'none'", ...directives, ...denied].join("; "),
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  };
}

/** Creates the page of a folder of `web`, with its script and its style sheet, as `npm run generate` bundles it. */
function bundle(name: string, directives: readonly string[]): [string, Endpoint][] {
  const headers = {
    ...pageHeaders(["script-src 'self'", "style-src 'self'", ...directives]),
    // The files keep their names when a version changes them together.
    "cache-control": "no-cache",
  };
  const file = (path: string, contentType: string): Endpoint => {
    const url = new URL(`../../../web/${name}/dist/${path}`, import.meta.url);
    return documentEndpoint(`${contentType}; charset=utf-8`, () => readFile(url), headers);
  };
  return [
    [`/${name}`, file("index.html", "text/html")],
    [`/${name}/${name}.js`, file(`${name}/${name}.js`, "text/javascript")],
    [`/${name}/${name}.css`, file(`${name}/${name}.css`, "text/css")],
  ];
}
