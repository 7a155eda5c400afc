import { globSync, readFileSync } from "node:fs";
import { type DescMessage, getOption } from "@bufbuild/protobuf";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { FieldBehavior } from "../../../gen/google/api/field_behavior_pb.ts";
import { Code } from "../../../gen/google/rpc/code_pb.ts";
import { reference } from "../../../gen/svc/options/v1/reference_pb.ts";
import { isKindName, KIND_NAMES, kindOf } from "../../../src/domain/kinds.ts";
import { hasBehavior } from "../../../src/domain/validation/field-behavior.ts";
import { httpStatusOf } from "../../../src/http/rest/status.ts";
import { makeOpenApi } from "../../../tools/openapi/document.ts";
import { methodSamples } from "../../api/method-samples.ts";
import { findMethods, type JsonMessage, procedureOf } from "../../api/methods.ts";
import { runCommand } from "../../harness/command.ts";
import { send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";

const marquee = await useMarquee();

// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON of every form.
const DOCUMENT: any = await makeOpenApi();
const METHODS = await findMethods();

interface Operation {
  readonly path: string;
  readonly verb: string;
  readonly procedure: string;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly operation: any;
}

const OPERATIONS: readonly Operation[] = Object.entries(DOCUMENT.paths).flatMap(([path, verbs]) =>
  Object.entries(verbs as object).map(([verb, operation]) => {
    const [, name] = operation.operationId.split(".");
    const method = METHODS.find(
      (it) => it.name === name && it.parent.file.proto.package === `svc.${operation.tags[0]}`,
    );
    return { path, verb, operation, procedure: method ? procedureOf(method) : "" };
  }),
);

/** Makes the sample request of a method, after what it is about. */
async function makeMessage(procedure: string): Promise<JsonMessage> {
  const message = methodSamples[procedure]?.message;
  return typeof message === "function" ? message(marquee) : (message ?? {});
}

test("the document is OpenAPI 3.1 for a public validator", async () => {
  expect(await new Validator().validate(structuredClone(DOCUMENT))).toEqual({ valid: true });
  const isBroken = { ...DOCUMENT, paths: { "/x": { get: { parameters: [{ name: "x" }] } } } };
  expect((await new Validator().validate(isBroken)).valid).toBe(false);
});

/** The codes with which the sources throw each reason. */
const THROWN = new Map<string, Set<string>>();
for (const path of globSync("src/**/*.ts")) {
  const text = readFileSync(path, "utf8");
  for (const [, code = "", reason = ""] of text.matchAll(
    /DomainError\(\s*Code\.(\w+),\s*"(\w+)"/g,
  )) {
    THROWN.set(reason, (THROWN.get(reason) ?? new Set()).add(code));
  }
  for (const [, reason = ""] of text.matchAll(/invalidField\([^"]*?"(\w+)"/g)) {
    THROWN.set(reason, (THROWN.get(reason) ?? new Set()).add("INVALID_ARGUMENT"));
  }
}

test("reasons stand at the status of a code with which they are thrown", () => {
  const documented = OPERATIONS.flatMap(({ path, verb, operation }) =>
    Object.entries(operation.responses).flatMap(([status, response]) =>
      ((response as { "x-reasons"?: readonly string[] })["x-reasons"] ?? []).map((reason) => {
        return { reason, status, name: `${verb} ${path} ${status} ${reason}` };
      }),
    ),
  );
  const errors = documented.filter(({ reason, status }) => {
    const statuses = Array.from(THROWN.get(reason) ?? [], (code) =>
      String(httpStatusOf(Code[code as keyof typeof Code])),
    );
    return statuses.length > 0 && !statuses.includes(status);
  });
  expect(THROWN.size).toBeGreaterThan(60);
  expect(documented.length).toBeGreaterThan(500);
  expect(errors.map(({ name }) => name)).toEqual([]);
});

test("the document is at /openapi.json and in the output of marquee openapi", async () => {
  const got = await send("GET", `${marquee.url}/openapi.json`);
  expect([got.status, got.json]).toEqual([200, DOCUMENT]);
  expect(got.headers.get("etag")).toMatch(/^"/);
  expect(JSON.parse((await runCommand("openapi")).stdout)).toEqual(DOCUMENT);
});

test("an operation says which errors, permission and conditions it has", () => {
  const { patch, delete: remove } = DOCUMENT.paths["/ott/page_components/v2/{page_component_id}"];
  expect(patch).toMatchObject({
    operationId: "studio.UpdatePageComponent",
    "x-permission": { name: "ott.page_components.update", resource_type: "page_component" },
    responses: {
      400: { "x-reasons": expect.arrayContaining(["UPDATE_MASK_INVALID", "KQL_SYNTAX"]) },
      403: { description: expect.stringContaining("PERMISSION_DENIED") },
      409: { "x-reasons": ["ALREADY_EXISTS", "ETAG_MISMATCH"] },
      429: { "x-reasons": ["QUOTA_EXCEEDED"] },
    },
  });
  expect(patch.description).toContain("Requires the permission `ott.page_components.update`");
  expect(remove.parameters).toContainEqual({ $ref: "#/components/parameters/IfMatch" });
  const { get, post } =
    DOCUMENT.paths["/svc.cda.streaming.playback.v1.PlaybackService/AuthorizePlayback"];
  expect(get).toBeUndefined();
  expect(post.responses).toMatchObject({
    401: { "x-reasons": expect.arrayContaining(["AUTHENTICATION_REQUIRED", "TOKEN_EXPIRED"]) },
    403: { "x-reasons": expect.arrayContaining(["GEO_NOT_ALLOWED", "ENTITLEMENT_REQUIRED"]) },
    429: { "x-reasons": ["CONCURRENCY_LIMIT_REACHED"] },
  });
  const { schemas } = DOCUMENT.components;
  const { properties } = schemas["svc.studio.ott.page_component.v2.PageComponent"];
  expect(properties.calendar).toMatchObject({ deprecated: true });
  expect(schemas["svc.cda.cms.event.v1.Event"].properties.create_time).toMatchObject({
    ...{ type: "string", format: "date-time", readOnly: true },
  });
});

test("a field says its oneof, its kind of text and the resources that it names", () => {
  const { schemas } = DOCUMENT.components;
  const { id, autoplay } = schemas["svc.studio.ott.page_component.v2.EventPlayer"].properties;
  expect(id).toMatchObject({
    ...{ "x-oneof": "content", "x-text": "VARIABLES", "x-reference": ["event"] },
  });
  expect(Object.keys(autoplay).filter((key) => key.startsWith("x-"))).toEqual([]);
  const rail = schemas["svc.studio.ott.page_component.v2.Rail"].properties;
  expect([rail.filter["x-text"], rail.pinned["x-reference"]]).toEqual([
    ...["KQL", ["event", "creative_work", "entity"]],
  ]);
  const connect = schemas["connect.svc.cda.cms.event.v1.Event"].properties;
  expect(connect.entityIds).toMatchObject({ "x-reference": ["entity"] });
});

/** Fields of kinds that name no resource of their project, although they end in `_id`. */
const OTHER_IDS = [
  ...["account_id", "group_id", "organization_id", "project_id", "role_id", "source_id", "user_id"],
  ...["offer_price_id", "payment_method_id", "subscription_id"],
];

test("every id in a resource of a project says which kinds it may name", () => {
  const kinds = KIND_NAMES.map(kindOf).filter((kind) => kind.in === "project");
  const ids = new Map<string, readonly string[]>();
  const collect = (schema: DescMessage) => {
    for (const field of schema.fields) {
      if (hasBehavior(field, FieldBehavior.OUTPUT_ONLY)) continue;
      if (field.fieldKind === "message") collect(field.message);
      if (!/_ids?$/.test(field.name) || OTHER_IDS.includes(field.name)) continue;
      ids.set(`${schema.name}.${field.name}`, getOption(field, reference));
    }
  };
  for (const { schema, record } of kinds) if (record !== "none") collect(schema);
  expect(ids.size).toBeGreaterThan(15);
  expect([...ids].filter(([, named]) => named.length === 0)).toEqual([]);
  expect([...ids.values()].flat().filter((kind) => !isKindName(kind))).toEqual([]);
});

test("every service has a named tag in the group of its API", () => {
  const tags: { name: string; "x-displayName": string }[] = DOCUMENT.tags;
  const groups: { name: string; tags: string[] }[] = DOCUMENT["x-tagGroups"];
  expect(groups.map(({ name }) => name)).toEqual(["Delivery API", "Studio API"]);
  expect(groups.flatMap((it) => it.tags)).toEqual(tags.map(({ name }) => name));
  for (const [index, prefix] of ["cda.", "studio."].entries()) {
    expect(groups[index]?.tags.filter((it) => !it.startsWith(prefix))).toEqual([]);
  }
  const used = new Set(OPERATIONS.map(({ operation }) => operation.tags[0]));
  expect(tags.map(({ name }) => name).sort()).toEqual([...used].sort());
  for (const group of groups) {
    const names = group.tags.map((it) => tags.find(({ name }) => name === it)?.["x-displayName"]);
    expect(new Set(names).size).toBe(names.length);
  }
});

test("every method has an operation, each with an id of its own", () => {
  const names = OPERATIONS.map(({ operation }) => operation.operationId);
  expect(new Set(names).size).toBe(names.length);
  const described = new Set(OPERATIONS.map(({ procedure }) => procedure));
  expect([...described].sort()).toEqual(METHODS.map(procedureOf).sort());
});

/** Builds the request of an operation from its examples alone. */
function toExample({ path, operation }: Operation) {
  const url = new URL("http://x");
  let filled = path;
  const headers: Record<string, string> = {};
  for (const it of operation.parameters.map(resolve)) {
    const media = it.content?.["application/json"];
    const example = media ? JSON.stringify(media.example) : it.example;
    if (example === undefined) continue;
    if (it.in === "path") filled = filled.replace(`{${it.name}}`, encodeURIComponent(example));
    else if (it.in === "header") headers[it.name] = example;
    else for (const value of [example].flat()) url.searchParams.append(it.name, String(value));
  }
  const body = operation.requestBody?.content["application/json"].example;
  return { target: filled + url.search, headers, body };
}

function resolve(it: { readonly $ref?: string }) {
  if (it.$ref === undefined) return it;
  return it.$ref
    .slice(2)
    .split("/")
    .reduce((at, name) => at[name], DOCUMENT);
}

/** The document in which a message has no fields but those described. */
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
const closed = structuredClone(DOCUMENT);
for (const it of Object.values(closed.components.schemas as Record<string, object>)) {
  if ("properties" in it) Object.assign(it, { additionalProperties: false });
}
ajv.addSchema(closed, "document");

/** Accepts no value that a request may not have. */
const requests = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
requests.removeKeyword("readOnly").addKeyword({ keyword: "readOnly", validate: () => false });
requests.addSchema(closed, "document");

describe("the example of every operation is described, accepted and has the described response", () => {
  for (const it of OPERATIONS) {
    const { verb, path, procedure, operation } = it;
    test(`${verb.toUpperCase()} ${path}`, async () => {
      const sample = await makeMessage(procedure);
      const { target, headers, body } = toExample(it);
      if (body !== undefined) expect(check(operation.requestBody, body, requests)).toEqual([]);
      const token = operation.tags[0].startsWith("cda")
        ? marquee.keys.public
        : marquee.tokens.owner;
      const cookie = await methodSamples[procedure]?.cookie?.(marquee);
      const got = await send(verb.toUpperCase(), marquee.url + target, {
        token,
        headers: { ...headers, ...(cookie !== undefined && { cookie }) },
        ...(body !== undefined && { body: body.vendorIdToken ? sample : body }),
      });
      expect([got.status, got.status === 200 ? "" : got.text]).toEqual([200, ""]);
      expect(check(operation.responses[200], got.json)).toEqual([]);
    });
  }
});

test("errors of every operation have the described form", async () => {
  const errors: unknown[] = [];
  for (const it of OPERATIONS) {
    const { verb, path, operation } = it;
    const { target, headers, body } = toExample(it);
    const token = operation.tags[0].startsWith("cda") ? marquee.keys.public : marquee.tokens.owner;
    const url = marquee.url + target;
    const malformed = { token, headers, ...(body !== undefined && { body: [] }) };
    for (const [want, got] of [
      [401, await send(verb.toUpperCase(), url, { headers, ...(body !== undefined && { body }) })],
      [400, await send(verb.toUpperCase(), url.replace(/\?.*|$/, "?nothing=1"), malformed)],
    ] as const) {
      const found = check(operation.responses[want] ?? operation.responses.default, got.json);
      if (got.status !== want || found.length > 0) errors.push([verb, path, got.status, ...found]);
    }
  }
  expect(errors).toEqual([]);
});

/** Checks JSON against the schema of a body; returns the errors. */
function check(
  { content }: { readonly content: Record<string, { readonly schema: Body }> },
  json: unknown,
  schemas = ajv,
) {
  const { $ref, required = [] } = content["application/json"]?.schema ?? { $ref: "" };
  // Compiled once for all bodies of this message.
  const validate = schemas.getSchema(`document${$ref}`);
  validate?.(json);
  const missing = required.filter((name) => !Object.hasOwn(json as object, name));
  return [...(validate === undefined ? [$ref] : []), ...(validate?.errors ?? []), ...missing];
}

interface Body {
  readonly $ref: string;
  readonly required?: readonly string[];
}
