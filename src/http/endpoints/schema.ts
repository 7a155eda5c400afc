import type { Endpoint } from "../listener/exchange.ts";
import { documentEndpoint } from "./document.ts";
import { referenceEndpoints } from "./reference.ts";
import { readDescriptorSet, readOpenApi } from "./schema-files.ts";

/** Creates the endpoints that describe the interfaces. */
export function schemaEndpoints(): [string, Endpoint][] {
  return [
    ["/schema.binpb", documentEndpoint("application/x-protobuf", readDescriptorSet)],
    ["/openapi.json", documentEndpoint("application/json", readOpenApi)],
    ...referenceEndpoints(),
  ];
}
