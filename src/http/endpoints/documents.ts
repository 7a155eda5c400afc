import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { chooseCoding, toTag } from "../listener/content-coding.ts";
import type { Endpoint, HttpResponse } from "../listener/exchange.ts";

/** Caches may serve a copy for this long: a document changes only with the version of the service. */
const CACHE_CONTROL = "public, max-age=300";

/**
 * Creates an endpoint for a document that is made at the first request, again if that fails, and cached in both codings:
 * gzip and none.
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
  const open = async () => {
    const body = await make();
    const compressed = toResponse(await promisify(gzip)(body), { "content-encoding": "gzip" });
    return { plain: toResponse(body, {}), compressed };
  };
  let opened: ReturnType<typeof open> | undefined;
  return async ({ request }) => {
    opened ??= open().catch((cause: unknown) => {
      opened = undefined;
      throw cause;
    });
    const { plain, compressed } = await opened;
    // A browser prefers brotli, which is not worth its time here.
    const coding = chooseCoding(request.headers["accept-encoding"], ["gzip", "identity"]);
    return coding === "gzip" ? compressed : plain;
  };
}

/** A page for browsers, or a document that one links to. */
export interface BrowserPage {
  /** The path on the listener of the Studio API. */
  readonly path: string;
  readonly title: string;
  /** The content of the page, in a sentence. */
  readonly about: string;
}

/** The documents for generators of clients. */
export const SCHEMA_DOCUMENTS: readonly BrowserPage[] = [
  { path: "/openapi.json", title: "OpenAPI", about: "Both APIs in OpenAPI 3.1, as JSON." },
  { path: "/schema.binpb", title: "Schema", about: "Both APIs as a protobuf descriptor set." },
];

/** Creates the endpoints that describe the interfaces. */
export function schemaEndpoints(): [string, Endpoint][] {
  return [
    ["/schema.binpb", documentEndpoint("application/x-protobuf", readDescriptorSet)],
    ["/openapi.json", openApiEndpoint()],
  ];
}

/** Creates the endpoint of the OpenAPI document. */
export function openApiEndpoint(): Endpoint {
  return documentEndpoint("application/json", readOpenApi);
}

const GENERATED = new URL("../../../gen/", import.meta.url);

/**
 * Reads the descriptor set of all interfaces: a `google.protobuf.FileDescriptorSet` in binary, with comments. It
 * contains every import, and `google.rpc` for the details of errors.
 */
export async function readDescriptorSet(): Promise<Uint8Array> {
  return promisify(gunzip)(await readFile(new URL("schema.binpb.gz", GENERATED)));
}

/** Reads the OpenAPI document of the Studio API over HTTP/JSON and of the Delivery API over Connect, as JSON. */
export async function readOpenApi(): Promise<Uint8Array> {
  return readFile(new URL("openapi.json", GENERATED));
}
