import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Endpoint } from "../listener/exchange.ts";
import type { BrowserPage } from "./browser-pages.ts";
import { documentEndpoint } from "./document.ts";

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
