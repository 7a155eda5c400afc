import { create, type DescField, getOption, type Message } from "@bufbuild/protobuf";
import { comma_separated } from "../../../gen/svc/options/v1/list_pb.ts";
import { readField } from "../../domain/base/descriptors.ts";
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
  setMember,
  suggest,
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
  for (const { field, name } of binding.variables) {
    const text = values.get(name);
    if (text === undefined) {
      throw new Error(`no value for the path variable ${name} of ${binding.template.text}`);
    }
    if (isSent(sent, field) && readField(request, field) !== text) {
      const description = `the body and the path differ; send ${quote(text)}, or omit the field`;
      throw invalidField(name, "PATH_BODY_MISMATCH", description);
    }
    setMember(request, field, text, name);
  }
}

function isSent(json: JsonValue, { name, jsonName }: DescField): boolean {
  if (!isObject(json)) return false;
  return [name, jsonName].some((key) => Object.hasOwn(json, key) && json[key] !== null);
}

/** The field that a query may set although the body is the whole message: one parameter makes a write a draft. */
const RELEASE_ID = "release_id";

/**
 * Sets the fields that neither path nor body carries from the raw query, given without its question mark. Throws
 * QUERY_MALFORMED, QUERY_UNKNOWN, QUERY_DUPLICATE and the errors of reading a value.
 */
function bindQuery(binding: Binding, rawQuery: string, sent: JsonValue, request: Message): void {
  const seen = new Set<DescField>();
  for (const [parameter, text] of parseQuery(rawQuery)) {
    const field = findParameter(binding, parameter);
    const { name } = field;
    if (field.fieldKind === "list") {
      addItems(readField(request, field) as unknown[], field, text);
    } else if (seen.has(field) || isSent(sent, field)) {
      throw invalidField(name, "QUERY_DUPLICATE", "the query parameter is repeated; send it once");
    } else {
      if (name === RELEASE_ID && text === "") {
        const description = "must name a release; omit it for the current version";
        throw invalidField(name, "VALUE_INVALID", description);
      }
      setMember(request, field, readTextValue(field, text, name), name);
    }
    seen.add(field);
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

function findParameter(binding: Binding, name: string): DescField {
  const field = fieldsByName(binding.method.input).get(name);
  if (field === undefined || !isParameter(binding, field)) throw unknownParameter(binding, name);
  return field;
}

function unknownParameter(binding: Binding, name: string): DomainError {
  const parameters = listParameters(binding).map((field) => field.name);
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

/** Lists the fields that a query may set. */
export function listParameters(binding: Binding): DescField[] {
  return binding.method.input.fields.filter((field) => isParameter(binding, field));
}

/** Reports whether neither path nor body carries a field, and its value is one text, or a list of texts. */
function isParameter({ body, variables }: Binding, field: DescField): boolean {
  const isBound =
    (body.kind === "message" && field.name !== RELEASE_ID) ||
    (body.kind === "field" && body.field === field) ||
    variables.some((variable) => variable.field === field);
  return !isBound && field.message === undefined && field.fieldKind !== "map";
}

function addItems(list: unknown[], field: DescField, text: string): void {
  const separated = getOption(field, comma_separated);
  const items = separated ? text.split(",").map((item) => item.trim()) : [text];
  for (const item of items) {
    const path = `${field.name}[${list.length}]`;
    if (separated && item === "") {
      throw invalidField(path, "VALUE_INVALID", "the item between two commas is empty");
    }
    list.push(readTextValue(field, item, path));
  }
}

/**
 * Reads the value of a field, or of one item of a repeated field, from the text of a query: an enum by its name.
 * Throws as reading JSON does.
 */
function readTextValue(field: DescField, text: string, path: string): unknown {
  if (field.enum !== undefined) return readEnum(field.enum, text, path);
  if (field.scalar !== undefined) return readScalarText(field.scalar, text, path);
  throw new Error(`${field.toString()} is not a scalar`);
}
