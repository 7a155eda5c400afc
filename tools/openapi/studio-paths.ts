import type { DescField, DescMethod } from "@bufbuild/protobuf";
import { FieldBehavior } from "../../gen/google/api/field_behavior_pb.ts";
import { hasBehavior } from "../../src/domain/validation/field-behavior.ts";
import { listParameters } from "../../src/http/rest/bind-request.ts";
import { type Binding, readBindings } from "../../src/http/rest/binding.ts";
import { exampleOf } from "./example.ts";
import type { Json } from "./load-schema.ts";
import {
  describeMethod,
  describeRequired,
  describeResponses,
  type OperationSource,
} from "./operation.ts";

const FORM = { spelling: "snake_case", error: "Status" } as const;

/** Describes the HTTP/JSON paths of the Studio API, from the `google.api.http` rules of its methods. */
export function describeStudioPaths(source: OperationSource): Map<string, Json> {
  const paths = new Map<string, Json>();
  for (const method of source.schema.listServices("svc.studio").flatMap((it) => it.methods)) {
    const binding = chooseBinding(method);
    if (binding === undefined) continue;
    const path = toPath(binding);
    const operation = { [binding.httpMethod.toLowerCase()]: describe(method, binding, source) };
    paths.set(path, { ...paths.get(path), ...operation });
  }
  return paths;
}

/** Chooses the binding whose variables are one segment each, as in OpenAPI. */
function chooseBinding(method: DescMethod): Binding | undefined {
  return readBindings(method).find((it) =>
    it.variables.every(({ start, end }) => end - start === 1),
  );
}

function toPath({ template }: Binding): string {
  return template.text.replace(/\{(\w+)=[^}]*\}/g, "{$1}");
}

function describe(method: DescMethod, binding: Binding, source: OperationSource): Json {
  const body = describeBody(binding, source);
  return {
    operationId: `studio.${method.name}`,
    ...describeMethod(method, source),
    security: [{ accessToken: [] }],
    parameters: listOperationParameters(method, binding, source),
    ...(body && { requestBody: body }),
    responses: describeResponses(method, source, FORM),
  };
}

function listOperationParameters(
  method: DescMethod,
  binding: Binding,
  source: OperationSource,
): Json[] {
  const example = exampleOf(method, FORM.spelling);
  const describeParameter = (field: DescField, place: "path" | "query"): Json => {
    const { description, deprecated, ...schema } = source.messages.describeField(
      field,
      FORM.spelling,
    );
    const value = example[field.name];
    return {
      name: field.name,
      in: place,
      ...(description !== undefined && { description }),
      ...(place === "path" || hasBehavior(field, FieldBehavior.REQUIRED) ? { required: true } : {}),
      ...(deprecated === true && { deprecated }),
      schema,
      ...(value !== undefined && { example: value }),
    };
  };
  const isConditional = source.schema
    .commentOf(`${method.parent.typeName}.${method.name}`)
    .includes("If-Match");
  return [
    ...binding.variables.map(({ field }) => describeParameter(field, "path")),
    ...listParameters(binding).map((field) => describeParameter(field, "query")),
    ...(isConditional ? [{ $ref: "#/components/parameters/IfMatch" }] : []),
    ...["OrganizationId", "RequestId"].map((it) => ({ $ref: `#/components/parameters/${it}` })),
  ];
}

function describeBody(binding: Binding, source: OperationSource): Json | undefined {
  const { body, method, variables } = binding;
  if (body.kind === "none") return undefined;
  const example = exampleOf(method, FORM.spelling);
  const isUpdate = method.input.fields.some(
    ({ message }) => message?.typeName === "google.protobuf.FieldMask",
  );
  if (body.kind === "field") {
    const { field } = body;
    if (field.message === undefined) throw new Error(`the body of ${method.name} is not a message`);
    const schema = isUpdate
      ? source.messages.refTo(field.message, FORM.spelling)
      : describeRequired(field.message, FORM.spelling, source);
    return toBody(schema, example[field.name] ?? {});
  }
  // Fields in the path are optional in the body.
  const inPath = new Set(variables.map(({ field }) => field));
  const { required, ...schema } = describeRequired(method.input, FORM.spelling, source);
  const left = method.input.fields
    .filter((it) => !inPath.has(it) && (required as string[] | undefined)?.includes(it.name))
    .map(({ name }) => name);
  const members = method.input.fields.filter(
    (it) => !inPath.has(it) && example[it.name] !== undefined,
  );
  return toBody(
    { ...schema, ...(left.length > 0 && { required: left }) },
    Object.fromEntries(members.map((it) => [it.name, example[it.name]])),
  );
}

function toBody(schema: Json, example: unknown): Json {
  return { required: true, content: { "application/json": { schema, example } } };
}
