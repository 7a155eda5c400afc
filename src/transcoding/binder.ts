import type { Message } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { Code, DomainError } from "../domain/errors.ts";
import { bindPath } from "./bind-path.ts";
import { bindQuery } from "./bind-query.ts";
import type { Binding } from "./binding.ts";
import { decodeUtf8 } from "./decode-utf8.ts";
import { readJson } from "./json-reader.ts";
import { isObject, type JsonObject, type JsonValue } from "./json-value.ts";
import { readField, readFields } from "./read-message.ts";
import type { PathValues } from "./router.ts";

/**
 * Builds the request message of a binding from body, path and query, in this order.
 *
 * `rawQuery` is the undecoded text after the question mark, empty if there is none; `body` is
 * undefined or empty if there is none. Every fault is an INVALID_ARGUMENT with the reason BODY_REQUIRED,
 * BODY_NOT_ALLOWED, BODY_NOT_OBJECT, BODY_NOT_UTF8, JSON_SYNTAX, JSON_DUPLICATE_KEY, JSON_TOO_DEEP,
 * FIELD_UNKNOWN, FIELD_DUPLICATE, VALUE_INVALID, ENUM_UNKNOWN, ONEOF_CONFLICT, PATH_BODY_MISMATCH,
 * QUERY_MALFORMED, QUERY_UNKNOWN or QUERY_DUPLICATE.
 */
export function bindRequest(
  binding: Binding,
  variables: PathValues,
  rawQuery: string,
  body: Uint8Array | undefined,
): Message {
  const request = reflect(binding.method.input, undefined, false);
  const sent = bindBody(binding, body, request);
  bindPath(binding, variables, sent, request);
  if (!binding.ignoresQuery) {
    bindQuery(binding, rawQuery, request);
  }
  return request.message;
}

/** Reads the body into the request. Returns it as JSON of the whole request, null for no body. */
function bindBody(
  { body: rule }: Binding,
  body: Uint8Array | undefined,
  request: ReflectMessage,
): JsonValue {
  if (rule.kind === "none") {
    if (body !== undefined && body.length > 0) {
      throw bodyFault("BODY_NOT_ALLOWED", "the method takes no request body");
    }
    return null;
  }
  if (body === undefined || body.length === 0) {
    throw bodyFault("BODY_REQUIRED", "the request body is missing; send a JSON object");
  }
  const json = readJson(decodeUtf8(body));
  if (rule.kind === "message") {
    readFields(request, asObject(json), "");
    return json;
  }
  const { field } = rule;
  readField(request, field, field.fieldKind === "message" ? asObject(json) : json, field.name);
  return { [field.name]: json };
}

function asObject(json: JsonValue): JsonObject {
  if (!isObject(json)) {
    throw bodyFault("BODY_NOT_OBJECT", "the request body is not a JSON object");
  }
  return json;
}

function bodyFault(reason: string, message: string): DomainError {
  return new DomainError(Code.INVALID_ARGUMENT, reason, message);
}
