import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { exampleOf } from "./example.ts";
import type { Json } from "./load-schema.ts";
import {
  describeMethod,
  describeRequired,
  describeResponses,
  type OperationSource,
} from "./operation.ts";

const FORM = { spelling: "camelCase", error: "ConnectError" } as const;

/** Describes the methods of the Delivery API as calls of Connect with JSON: by GET if they are reads, and by POST. */
export function describeDeliveryPaths(source: OperationSource): Map<string, Json> {
  const methods = source.schema.listServices("svc.cda").flatMap((it) => it.methods);
  return new Map(methods.map((it) => [`/${it.parent.typeName}/${it.name}`, describe(it, source)]));
}

function describe(method: DescMethod, source: OperationSource): Json {
  const isRead = method.idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  const common = {
    ...describeMethod(method, source),
    responses: describeResponses(method, source, FORM),
  };
  const schema = describeRequired(method.input, FORM.spelling, source);
  const content = { "application/json": { schema, example: exampleOf(method, FORM.spelling) } };
  const viewer = { projectKey: [], viewerToken: [] };
  const get = {
    ...{ operationId: `delivery.${method.name}`, ...common },
    security: [{ projectKey: [] }, viewer, { urlKey: [] }],
    parameters: [
      { $ref: "#/components/parameters/Encoding" },
      { name: "message", in: "query", required: true, description: "The request.", content },
    ],
  };
  const post = {
    ...{ operationId: `delivery.${method.name}${isRead ? ".post" : ""}`, ...common },
    security: [{ projectKey: [] }, viewer],
    parameters: [{ $ref: "#/components/parameters/ConnectProtocolVersion" }],
    requestBody: { required: true, content },
  };
  return { ...(isRead && { get }), post };
}
