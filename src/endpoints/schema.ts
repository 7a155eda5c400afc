import type { Endpoint } from "../http/listener/exchange.ts";
import { documentEndpoint } from "./document.ts";
import { referenceEndpoints } from "./reference.ts";

/** Creates the endpoints that describe the interfaces; what they need is loaded at their first request. */
export function schemaEndpoints(): [string, Endpoint][] {
  const descriptorSet = async () =>
    (await import("../schema/descriptor-set.ts")).readDescriptorSet();
  const openApi = async () => (await import("../schema/openapi/document.ts")).writeOpenApi();
  return [
    ["/schema.binpb", documentEndpoint("application/x-protobuf", descriptorSet)],
    ["/openapi.json", documentEndpoint("application/json", openApi)],
    ...referenceEndpoints(),
  ];
}
