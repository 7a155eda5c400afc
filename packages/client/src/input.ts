import {
  type DescEnum,
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
 * JSON. A 64-bit number may be a number. An enum may be a name such as `"VISIBILITY_PUBLISHED"`. The messages of protobuf
 * are valid, too.
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
                      : T extends number
                        ? Scalar<T>
                        : T;

/** Adds the names to the numbers of an enum. A plain `number` has every number as its text. */
type Scalar<T extends number> = `${number}` extends `${T}` ? T : T | string;

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
 * Returns the members of a request with messages and numbers of enums instead of plain values. Throws a `TypeError` that
 * names the member for an unknown one, and for a value that cannot be its message, map or enum.
 */
export function toInit(schema: DescMessage, input: unknown, path = ""): unknown {
  if (!isObject(input) || isMessage(input)) return input;
  const init: Record<string, unknown> = { ...input };
  for (const [name, value] of Object.entries(init)) {
    if (value === undefined || name === "$unknown") continue;
    if (schema.members.some((it) => it.localName === name)) continue;
    throw unknownMember(name, schema.members, path);
  }
  for (const member of schema.members) {
    const name = member.localName;
    const value = init[name];
    if (value === undefined || value === null) continue;
    if (member.kind === "field") {
      init[name] = toMember(member, value, path + name);
    } else if (isObject(value) && typeof value.case === "string") {
      const field = member.fields.find((it) => it.localName === value.case);
      if (field === undefined) throw unknownMember(value.case, member.fields, `${path}${name}.`);
      init[name] = { ...value, value: toMember(field, value.value, path + field.localName) };
    }
  }
  return init;
}

function unknownMember(
  name: string,
  members: readonly { readonly localName: string }[],
  path: string,
): TypeError {
  const known = members.map((it) => it.localName).join(", ");
  return new TypeError(`${path}${name}: no such member; known: ${known}`);
}

/** Creates the error of a value that has another form than `form`, which is a noun phrase. */
export function invalidValue(
  path: string,
  form: string,
  value: unknown,
  cause?: unknown,
): TypeError {
  return new TypeError(`${path}: must be ${form}, not '${String(value)}'`, { cause });
}

function toMember(field: DescField, value: unknown, path: string): unknown {
  if (value === undefined) return value;
  switch (field.fieldKind) {
    case "list":
      if (!Array.isArray(value)) return value;
      return value.map((it, index) => toItem(field, it, `${path}[${index}]`));
    case "map": {
      if (!isObject(value)) throw invalidValue(path, 'an object such as {"en": "…"}', value);
      const entries = Object.entries(value).filter(([, it]) => it !== undefined);
      return Object.fromEntries(
        entries.map(([key, it]) => [key, toItem(field, it, `${path}.${key}`)]),
      );
    }
    default:
      return toItem(field, value, path);
  }
}

/** Converts the value of a field, or an item of its list or map. */
function toItem({ message, enum: desc }: DescField, value: unknown, path: string): unknown {
  if (message) return toMessage(message, value, path);
  return desc ? toNumber(desc, value, path) : value;
}

/** Returns the number of an enum for its name. */
function toNumber({ values }: DescEnum, value: unknown, path: string): unknown {
  if (typeof value === "number") return value;
  const named = values.find(({ name }) => name === value);
  if (named !== undefined) return named.number;
  throw invalidValue(path, `one of ${values.map(({ name }) => name).join(", ")}`, value);
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
    throw invalidValue(path, form, value, cause);
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
