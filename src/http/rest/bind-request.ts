import {
  create,
  type DescField,
  type DescMessage,
  getOption,
  type Message,
} from "@bufbuild/protobuf";
import { isWrapperDesc } from "@bufbuild/protobuf/wkt";
import { comma_separated } from "../../../gen/svc/options/v1/list_pb.ts";
import { readField, writeField } from "../../domain/base/descriptors.ts";
import { Code, DomainError, type Reason } from "../../domain/base/errors.ts";
import { invalidField } from "../../domain/base/field-errors.ts";
import { clip, quote } from "../../domain/base/text.ts";
import {
  isObject,
  type JsonObject,
  type JsonValue,
  readJsonBytes,
} from "../../protojson/read-json.ts";
import {
  fieldsByName,
  readMember,
  readMembers,
  readMessage,
  setMember,
  suggest,
  unwrap,
} from "../../protojson/read-message.ts";
import { readEnum, readScalarText } from "../../protojson/read-scalar.ts";
import type { Binding } from "./binding.ts";
import { decodePercent, type PathValues } from "./router.ts";

/**
 * Builds the request message of a binding from body, path and query, in this order.
 *
 * `rawQuery` is the undecoded text after the question mark, empty if there is none; `body` is undefined or empty if
 * there is none. Every error is an INVALID_ARGUMENT with the reason BODY_REQUIRED, BODY_NOT_ALLOWED, BODY_NOT_OBJECT,
 * BODY_NOT_UTF8, JSON_SYNTAX, JSON_DUPLICATE_KEY, JSON_TOO_DEEP, FIELD_UNKNOWN, FIELD_DUPLICATE, VALUE_INVALID,
 * ENUM_UNKNOWN, ONEOF_CONFLICT, PATH_BODY_MISMATCH, QUERY_MALFORMED, QUERY_UNKNOWN or QUERY_DUPLICATE.
 */
export function bindRequest(
  binding: Binding,
  variables: PathValues,
  rawQuery: string,
  body: Uint8Array | undefined,
): Message {
  const request = create(binding.method.input);
  const sent = bindBody(binding, body, request);
  bindPath(binding, variables, sent, request);
  if (!binding.ignoresQuery) bindQuery(binding, rawQuery, sent, request);
  return request;
}

/** Reads the body into the request. Returns it as JSON of the whole request, null for no body. */
function bindBody(
  { body: rule, method }: Binding,
  body: Uint8Array | undefined,
  request: Message,
): JsonValue {
  if (rule.kind === "none") {
    if (body !== undefined && body.length > 0) {
      throw bodyError("BODY_NOT_ALLOWED", "the method takes no request body");
    }
    return null;
  }
  if (body === undefined || body.length === 0) {
    throw bodyError("BODY_REQUIRED", "the request body is missing; send a JSON object");
  }
  const json = readJsonBytes(body);
  if (rule.kind === "message") {
    readMembers(method.input, request, asObject(json), "");
    return json;
  }
  const { field } = rule;
  readMember(request, field, field.fieldKind === "message" ? asObject(json) : json, field.name);
  return { [field.name]: json };
}

function asObject(json: JsonValue): JsonObject {
  if (!isObject(json)) throw bodyError("BODY_NOT_OBJECT", "the request body is not a JSON object");
  return json;
}

function bodyError(reason: Reason, message: string): DomainError {
  return new DomainError(Code.INVALID_ARGUMENT, reason, message);
}

/**
 * Sets the fields that the path carries. `sent` is the body as JSON of the whole request; a field
 * that it sets to a different value, even an empty one, is PATH_BODY_MISMATCH.
 */
function bindPath(binding: Binding, values: PathValues, sent: JsonValue, request: Message): void {
  for (const { path, fields } of binding.variables) {
    const text = values.get(path);
    if (text === undefined) {
      throw new Error(`no value for the path variable ${path} of ${binding.template.text}`);
    }
    const { parent, leaf } = openParent(request, fields, path);
    const value = readTextValue(leaf, text, path);
    if (isSent(sent, fields) && readField(parent, leaf) !== value) {
      const description = `the body and the path differ; send ${quote(text)}, or omit the field`;
      throw invalidField(path, "PATH_BODY_MISMATCH", description);
    }
    setMember(parent, leaf, value, path);
  }
}

function isSent(json: JsonValue, [field, ...rest]: readonly DescField[]): boolean {
  if (field === undefined) return json !== null;
  if (!isObject(json)) return false;
  const key = [field.name, field.jsonName].find((name) => Object.hasOwn(json, name));
  return key !== undefined && isSent(json[key] ?? null, rest);
}

/** The field that a query may set although the body is the whole message: one parameter makes a write a draft. */
const RELEASE_ID = "release_id";

/**
 * Sets the fields that neither path nor body carries from the raw query, given without its question mark. Throws
 * QUERY_MALFORMED, QUERY_UNKNOWN, QUERY_DUPLICATE and the errors of reading a value.
 */
function bindQuery(binding: Binding, rawQuery: string, sent: JsonValue, request: Message): void {
  const seen = new Set<string>();
  for (const [name, text] of parseQuery(rawQuery)) {
    const fields = resolveParameter(binding, name);
    const path = pathOf(fields);
    const { parent, leaf } = openParent(request, fields, path);
    if (leaf.fieldKind === "list") {
      addItems(readField(parent, leaf) as unknown[], leaf, text, path);
    } else if (seen.has(path) || isSent(sent, fields)) {
      throw invalidField(path, "QUERY_DUPLICATE", "the query parameter is repeated; send it once");
    } else {
      if (path === RELEASE_ID && text === "") {
        const description = "must name a release; omit it for the current version";
        throw invalidField(path, "VALUE_INVALID", description);
      }
      setMember(parent, leaf, readTextValue(leaf, text, path), path);
    }
    seen.add(path);
  }
}

/** Splits a raw query into decoded pairs; a plus sign is a space, and empty pairs are skipped. */
function parseQuery(rawQuery: string): (readonly [name: string, text: string])[] {
  return rawQuery
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [rawName = "", ...rest] = pair.split("=");
      return [decodeQuery(rawName, rawName), decodeQuery(rest.join("="), rawName)] as const;
    });
}

function decodeQuery(text: string, rawName: string): string {
  const decoded = decodePercent(text.replaceAll("+", " "));
  if (decoded === undefined) {
    const name = clip(rawName);
    const message = `the query parameter ${quote(name)} is not percent-encoded UTF-8`;
    const metadata = { parameter: name };
    throw new DomainError(Code.INVALID_ARGUMENT, "QUERY_MALFORMED", message, { metadata });
  }
  return decoded;
}

/** The fields from the request to the one that a parameter sets. */
type FieldPath = readonly [DescField, ...DescField[]];

function resolveParameter(binding: Binding, name: string): FieldPath {
  const fields: DescField[] = [];
  let desc: DescMessage | undefined = binding.method.input;
  for (const part of name.split(".")) {
    const field: DescField | undefined = desc && fieldsByName(desc).get(part);
    if (field === undefined) throw unknownParameter(binding, name);
    fields.push(field);
    desc = isOpen(field) ? field.message : undefined;
  }
  const [first, ...rest] = fields;
  const leaf = fields.at(-1);
  if (first === undefined || leaf === undefined || !isLeaf(leaf) || isBound(binding, fields)) {
    throw unknownParameter(binding, name);
  }
  return [first, ...rest];
}

function unknownParameter(binding: Binding, name: string): DomainError {
  const parameters = listParameters(binding).map(pathOf);
  const known = parameters.join(", ");
  const isInBody = binding.body.kind === "message" && fieldsByName(binding.method.input).has(name);
  const remedy = isInBody ? "send fields in the body" : suggest(name, parameters);
  const description = `no query parameter ${quote(name)}; ${remedy}`;
  const field = clip(name);
  return new DomainError(Code.INVALID_ARGUMENT, "QUERY_UNKNOWN", description, {
    fields: [{ field, description }],
    metadata: { parameter: field, known },
  });
}

/** Lists the fields that a query may set, each with those above it; a message nested in its own type is omitted. */
export function listParameters(binding: Binding): (readonly DescField[])[] {
  return listBelow(binding, binding.method.input, []);
}

function listBelow(
  binding: Binding,
  desc: DescMessage,
  parents: readonly DescField[],
): (readonly DescField[])[] {
  return desc.fields.flatMap((field) => {
    const fields = [...parents, field];
    if (isBound(binding, fields)) return [];
    if (isOpen(field)) {
      const nested = field.message;
      const recursive =
        nested === binding.method.input || parents.some((parent) => parent.message === nested);
      return recursive ? [] : listBelow(binding, nested, fields);
    }
    return isLeaf(field) ? [fields] : [];
  });
}

function pathOf(fields: readonly DescField[]): string {
  return fields.map(({ name }) => name).join(".");
}

/** Reports whether a message field takes one parameter for each of its own fields. */
function isOpen(field: DescField): field is DescField & { fieldKind: "message" } {
  return field.fieldKind === "message" && !field.message.typeName.startsWith("google.protobuf.");
}

const TEXT_TYPES: ReadonlySet<string> = new Set([
  "google.protobuf.Duration",
  "google.protobuf.FieldMask",
  "google.protobuf.Timestamp",
]);

/** Reports whether the value of a field is written as one string, or as a list of strings. */
function isLeaf(field: DescField): boolean {
  switch (field.fieldKind) {
    case "scalar":
    case "enum":
      return true;
    case "list":
      return field.listKind !== "message";
    case "map":
      return false;
    case "message":
      return TEXT_TYPES.has(field.message.typeName) || isWrapperDesc(field.message);
    default:
      return field satisfies never;
  }
}

function isBound({ body, variables }: Binding, fields: readonly DescField[]): boolean {
  const path = pathOf(fields);
  return (
    (body.kind === "message" && path !== RELEASE_ID) ||
    (body.kind === "field" && body.field === fields[0]) ||
    variables.some((variable) => variable.path === path)
  );
}

function addItems(list: unknown[], field: DescField, text: string, path: string): void {
  const separated = getOption(field, comma_separated);
  const items = separated ? text.split(",").map((item) => item.trim()) : [text];
  for (const item of items) {
    const itemPath = `${path}[${list.length}]`;
    if (separated && item === "") {
      throw invalidField(itemPath, "VALUE_INVALID", "the item between two commas is empty");
    }
    list.push(readTextValue(field, item, itemPath));
  }
}

/**
 * Follows fields from a message to the parent of the last one, creating missing messages on the way.
 * Throws ONEOF_CONFLICT where one would replace another member of a oneof.
 */
function openParent(
  message: Message,
  [field, next, ...rest]: FieldPath,
  path: string,
): { readonly parent: Message; readonly leaf: DescField } {
  if (next === undefined) return { parent: message, leaf: field };
  if (field.fieldKind !== "message") throw new Error(`${field.toString()} is not a message`);
  let child = readField(message, field) as Message | undefined;
  if (child === undefined) {
    child = create(field.message);
    const fieldPath = path
      .split(".")
      .slice(0, -(rest.length + 1))
      .join(".");
    setMember(message, field, child, fieldPath);
  }
  return openParent(child, [next, ...rest], path);
}

/**
 * Reads the value of a field, or of one item of a repeated field, from the text of a path or query. An enum is read by
 * its name; a Timestamp, Duration or FieldMask as in JSON. Throws as reading JSON does.
 */
function readTextValue(field: DescField, text: string, path: string): unknown {
  if (field.message !== undefined) {
    if (!isWrapperDesc(field.message)) return readMessage(field.message, text, path);
    const [value] = field.message.fields;
    const wrapper = create<DescMessage>(field.message);
    writeField(wrapper, value, readScalarText(value.scalar, text, path));
    return unwrap(field, wrapper);
  }
  if (field.enum !== undefined) return readEnum(field.enum, text, path);
  return readScalarText(field.scalar, text, path);
}
