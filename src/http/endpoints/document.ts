import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { chooseCoding, toTag } from "../listener/content-coding.ts";
import type { Endpoint, HttpResponse } from "../listener/exchange.ts";

/** Caches may serve a copy for this long: a document changes only with the version of the service. */
const CACHE_CONTROL = "public, max-age=300";

/**
 * Creates an endpoint for a document that is made at the first request and cached in each coding that its callers
 * accept: gzip or none.
 */
export function documentEndpoint(
  contentType: string,
  make: () => Promise<Uint8Array>,
  headers: HttpResponse["headers"] = {},
): Endpoint {
  const toResponse = (body: Uint8Array, coding: HttpResponse["headers"]): HttpResponse => ({
    status: 200,
    headers: {
      "content-type": contentType,
      ...coding,
      "cache-control": CACHE_CONTROL,
      vary: "Accept-Encoding",
      etag: toTag(body),
      ...headers,
    },
    body,
  });
  const readDocument = once(make);
  const plain = once(async () => toResponse(await readDocument(), {}));
  const compressed = once(async () => {
    const body = await promisify(gzip)(await readDocument());
    return toResponse(body, { "content-encoding": "gzip" });
  });
  return async (exchange) => {
    const accepted = exchange.request.headers["accept-encoding"];
    // A browser prefers brotli, which is not worth its time here.
    return chooseCoding(accepted, ["gzip", "identity"]) === "gzip" ? compressed() : plain();
  };
}

/** Calls a function once; a failure is retried. */
function once<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let known: Promise<Value> | undefined;
  return () => {
    known ??= make().catch((cause: unknown) => {
      known = undefined;
      throw cause;
    });
    return known;
  };
}
