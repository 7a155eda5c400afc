import packageJson from "../../package.json" with { type: "json" };
import { describeDeliveryPaths } from "./delivery-paths.ts";
import type { Json } from "./load-schema.ts";
import { loadSchema } from "./load-schema.ts";
import { createMessageSchemas } from "./message-schemas.ts";
import { SHAPES } from "./shapes.ts";
import { describeStudioPaths } from "./studio-paths.ts";
import { describeTags } from "./tags.ts";

/** Makes the OpenAPI document of the Studio API over HTTP/JSON and of the Delivery API over Connect with JSON. */
export async function makeOpenApi(): Promise<Json> {
  const schema = await loadSchema();
  const messages = createMessageSchemas(schema);
  const source = { schema, messages };
  const paths = new Map([...describeStudioPaths(source), ...describeDeliveryPaths(source)]);
  return {
    openapi: "3.1.1",
    info: {
      title: "Marquee",
      version: packageJson.version,
      description: DESCRIPTION,
      license: { name: packageJson.license, identifier: packageJson.license },
    },
    servers: [{ url: "/" }],
    ...describeTags(schema),
    paths: Object.fromEntries([...paths].sort(([a], [b]) => (a < b ? -1 : 1))),
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: PARAMETERS,
      schemas: { ...ERRORS, ...SHAPES, ...Object.fromEntries([...messages.components].sort()) },
    },
  };
}

const DESCRIPTION = `\
Editors and scripts change the content, pages, video protection, purchases and access of a streaming platform through the \
**Studio API**, in JSON over HTTP. Websites and apps read them through the **Delivery API**: Connect with JSON. Its reads \
accept GET with the request in \`message\`, which CDNs can cache; all its methods accept POST.

Both APIs also speak gRPC and gRPC-Web; their schema is \`/schema.binpb\`. In names, \`cda\` is the \
Delivery API (content delivery API).`;

const SECURITY_SCHEMES: Json = {
  accessToken: {
    ...{ type: "http", scheme: "bearer" },
    description: "Access token of an account. Required by the Studio API.",
  },
  projectKey: {
    ...{ type: "http", scheme: "bearer" },
    description: "Public or preview key of a project. Required by the Delivery API.",
  },
  urlKey: {
    ...{ type: "apiKey", in: "query", name: "key" },
    description: "Public key of a project in the URL of a read of the Delivery API.",
  },
  viewerToken: {
    ...{ type: "apiKey", in: "cookie", name: "viewer_token" },
    description:
      "Token of a signed-in viewer, in addition to the public key. Accepted by the Delivery API.",
  },
};

const PARAMETERS: Json = {
  ConnectProtocolVersion: {
    ...{ name: "connect-protocol-version", in: "header", required: true },
    schema: { type: "string", const: "1" },
    example: "1",
  },
  Encoding: {
    ...{ name: "encoding", in: "query", required: true },
    description: "The encoding of the message.",
    schema: { type: "string", const: "json" },
    example: "json",
  },
  IfMatch: {
    ...{ name: "If-Match", in: "header" },
    description:
      "ETag that the resource must have, as a read returned it. Otherwise the call fails with `ETAG_MISMATCH`.",
    schema: { type: "string" },
  },
  OrganizationId: {
    ...{ name: "X-Organization-Id", in: "header" },
    description:
      "Id of the organization of the resource, if it is not the organization of the account.",
    schema: { type: "string" },
  },
  RequestId: {
    ...{ name: "X-Request-Id", in: "header" },
    description: "Id of the request in the response and the log. Omitted: Marquee generates one.",
    schema: { type: "string", maxLength: 128 },
  },
};

const MESSAGE = { type: "string", description: "The error in English, for developers." };

const REASON_DETAIL = {
  ...{ type: "string" },
  description: "The stable reason, in UPPER_SNAKE_CASE.",
};

const ERRORS: Json = {
  Status: {
    type: "object",
    description: "Error of the Studio API: a `google.rpc.Status`.",
    required: ["code", "message", "details"],
    properties: {
      code: { type: "integer", description: "The number of the code in `google.rpc.Code`." },
      message: MESSAGE,
      details: {
        type: "array",
        description:
          "A `google.rpc.ErrorInfo` with the reason, and a `google.rpc.BadRequest` for errors in fields.",
        items: {
          type: "object",
          required: ["@type"],
          properties: {
            "@type": { type: "string" },
            reason: REASON_DETAIL,
            domain: { type: "string", const: "marquee" },
            metadata: { type: "object", additionalProperties: { type: "string" } },
            field_violations: {
              type: "array",
              items: {
                type: "object",
                properties: { field: { type: "string" }, description: { type: "string" } },
              },
            },
          },
        },
      },
    },
  },
  ConnectError: {
    type: "object",
    description: "Error of the Delivery API over Connect.",
    required: ["code"],
    properties: {
      code: { type: "string", description: "The code in lower case, such as `not_found`." },
      message: MESSAGE,
      details: {
        type: "array",
        items: {
          type: "object",
          required: ["type", "value"],
          properties: {
            type: {
              type: "string",
              description: "The detail's type, such as `google.rpc.ErrorInfo`.",
            },
            value: {
              type: "string",
              contentEncoding: "base64",
              description: "The detail in binary.",
            },
            debug: {
              type: "object",
              description: "The detail in JSON.",
              properties: { reason: REASON_DETAIL },
            },
          },
        },
      },
    },
  },
};
