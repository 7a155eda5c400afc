import {
  type DescField,
  type DescMessage,
  fromJson,
  isMessage,
  type JsonObject,
  type JsonValue,
  type Message,
} from "@bufbuild/protobuf";

/** A value that JSON has, or one that `JSON.stringify` turns into it: a `Date` becomes its ISO string. */
export type Plain =
  | string
  | number
  | boolean
  | null
  | undefined
  | Date
  | readonly Plain[]
  | { readonly [key: string]: Plain };

/**
 * A message of a request in plain values. Every member is optional. A timestamp is a `Date` or an ISO string; a
 * duration is a string such as `"1.5s"`. A field mask is the names of fields, such as `"name,startTime"`. JSON stays
 * JSON. A 64-bit number may be a number. The messages of protobuf are valid, too.
 */
export type Input<T> =
  T extends Message<"google.protobuf.Value">
    ? Plain | T
    : T extends Message<"google.protobuf.Timestamp">
      ? Date | string | Members<T>
      : T extends Message<"google.protobuf.Duration" | "google.protobuf.FieldMask">
        ? string | Members<T>
        : T extends Message
          ? Members<T>
          : T extends bigint
            ? bigint | number | string
            : T extends Uint8Array
              ? T
              : T extends readonly (infer Item)[]
                ? readonly Input<Item>[]
                : T extends { case: infer Case; value: infer Value }
                  ? { case: Case; value: Input<Value> }
                  : JsonObject extends T
                    ? { readonly [key: string]: Plain }
                    : T extends { [key: string]: infer Value extends Message }
                      ? { readonly [key: string]: Input<Value> }
                      : T;

/** The members of a message, all optional. */
type Members<T> = {
  [Name in keyof T as Name extends "$unknown" ? never : Name]?:
    | (Name extends "$typeName" ? T[Name] : Input<T[Name]>)
    | undefined;
};

/** As deep as the transport reads and writes JSON. */
export const RECURSION_LIMIT = 1_000;

/** Descriptions of the plain values of some messages, for error messages. */
const FORMS: Readonly<Record<string, string>> = {
  "google.protobuf.Timestamp": "a Date or a time such as 2026-07-19T19:00:00Z",
  "google.protobuf.Duration": "a duration such as 1.5s",
  "google.protobuf.FieldMask": "names of fields such as name,startTime",
};

/**
 * Returns the members of a request with messages instead of plain values. Throws a `TypeError` that names the member
 * for a value that cannot be its message.
 */
export function toInit(schema: DescMessage, input: unknown, path = ""): unknown {
  if (!isObject(input) || isMessage(input)) return input;
  const init: Record<string, unknown> = { ...input };
  for (const member of schema.members) {
    const name = member.localName;
    const value = init[name];
    if (value === undefined || value === null) continue;
    if (member.kind === "field") {
      init[name] = toMember(member, value, path + name);
    } else if (isObject(value)) {
      const field = member.fields.find((it) => it.localName === value.case);
      if (field)
        init[name] = { ...value, value: toMember(field, value.value, path + field.localName) };
    }
  }
  return init;
}

function toMember(field: DescField, value: unknown, path: string): unknown {
  const { message, fieldKind } = field;
  if (message === undefined || value === undefined) return value;
  if (fieldKind === "list" && Array.isArray(value)) {
    return value.map((it, index) => toMessage(message, it, `${path}[${index}]`));
  }
  if (fieldKind === "map" && isObject(value)) {
    const entries = Object.entries(value).filter(([, it]) => it !== undefined);
    return Object.fromEntries(
      entries.map(([key, it]) => [key, toMessage(message, it, `${path}.${key}`)]),
    );
  }
  return fieldKind === "message" ? toMessage(message, value, path) : value;
}

function toMessage(schema: DescMessage, value: unknown, path: string): unknown {
  if (isMessage(value)) return value;
  switch (schema.typeName) {
    case "google.protobuf.Struct":
      return toJsonValue(value);
    case "google.protobuf.Value":
      if (isValueInit(schema, value)) return value;
      return fromJson(schema, toJsonValue(value), { recursionLimit: RECURSION_LIMIT });
  }
  const form = FORMS[schema.typeName];
  if (form === undefined) return toInit(schema, value, `${path}.`);
  if (isObject(value) && !(value instanceof Date)) return value;
  try {
    return fromJson(schema, toJsonValue(value));
  } catch (cause) {
    throw new TypeError(`${path}: must be ${form}, not '${String(value)}'`, { cause });
  }
}

/** Reports whether a value is written as protobuf's own members, such as `{ kind: { case: "stringValue", value: "x" } }`. */
function isValueInit(schema: DescMessage, value: unknown): boolean {
  if (!isObject(value) || !isObject(value.kind)) return false;
  const { case: kind } = value.kind;
  return schema.fields.some((it) => it.localName === kind);
}

function toJsonValue(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
