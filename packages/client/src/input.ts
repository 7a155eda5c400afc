import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescOneof,
  fromJson,
  isMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  ScalarType,
} from "@bufbuild/protobuf";
import type { EnumName } from "./json.ts";

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
 * A message of a request in plain values. Every member is optional, and has the name of the guides, such as `page_size`, or
 * of TypeScript, such as `pageSize`. A choice is a member, too: `rail: {…}`, or `data: { case: "rail", value: {…} }`. A
 * timestamp is a `Date` or an ISO string; a duration is a string such as `"1.5s"`. A field mask is the names of fields, such
 * as `"name,start_time"`. JSON stays JSON. A 64-bit number may be a number. An enum is a name such as
 * `"VISIBILITY_PUBLISHED"`, or its number. The messages of protobuf are valid, too.
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

/** The members of a message, and of its oneofs, in both spellings and all optional. */
type Members<T extends Message> = {
  [Name in keyof T as Name extends "$unknown" ? never : Spelling<Name>]?:
    | (Name extends "$typeName" ? T[Name] : Member<T[Name], EnumName<T, Name>>)
    | undefined;
} & {
  [Choice in Extract<T[keyof T], { case: string; value: unknown }> as Spelling<Choice["case"]>]?:
    | Input<Choice["value"]>
    | undefined;
};

/** The value of a member; `Name` is `never` unless it is an enum or a list of an enum. */
type Member<T, Name> = [Name] extends [never]
  ? Input<T>
  : T extends readonly (infer Item)[]
    ? readonly (Item | Name)[]
    : T | Name;

/** A name in the spelling of TypeScript and of the guides. */
type Spelling<Name> = Name | (Name extends string ? Snake<Name> : never);

type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : Name;

/** As deep as the transport reads and writes JSON. */
export const RECURSION_LIMIT = 1_000;

/** Descriptions of the plain values of some messages, for error messages. */
const FORMS: Readonly<Record<string, string>> = {
  "google.protobuf.Timestamp": "a Date or a time such as 2026-07-19T19:00:00Z",
  "google.protobuf.Duration": "a duration such as 1.5s",
  "google.protobuf.FieldMask": "names of fields such as name,start_time",
};

/**
 * Returns the members of a request by the names of TypeScript, with messages and numbers of enums instead of plain values.
 * Throws a `TypeError` that names the member for an unknown one, for a second value of one, and for a value that cannot be
 * its message, map or enum.
 */
export function toInit(schema: DescMessage, input: unknown, path = ""): unknown {
  if (!isObject(input) || isMessage(input)) return input;
  const init: Record<string, unknown> = {};
  const set = (fields: readonly DescField[], above: string, name: string, value: unknown): void => {
    if (value === undefined || name === "$unknown") return;
    const field = fields.find((it) => isNameOf(it, name));
    if (field === undefined) throw unknownMember(above + name, fields);
    const { localName } = field.oneof ?? field;
    if (init[localName] !== undefined) {
      throw new TypeError(`${above}${name}: ${localName} has another value; set one of them`);
    }
    const item = toMember(field, value, above + name);
    init[localName] = field.oneof && item !== null ? { case: field.localName, value: item } : item;
  };
  for (const [name, value] of Object.entries(input)) {
    const oneof = schema.oneofs.find((it) => isNameOf(it, name));
    if (oneof === undefined) set(schema.fields, path, name, value);
    else if (value !== undefined && value !== null) {
      const choice = readChoice(value, path + name);
      if (choice !== undefined) set(oneof.fields, `${path}${name}.`, ...choice);
    }
  }
  return init;
}

/** Reads the name and the value that a oneof has; undefined if it has none. */
function readChoice(oneof: unknown, path: string): [string, unknown] | undefined {
  if (isObject(oneof) && "case" in oneof) {
    const { case: name, value } = oneof;
    if (name === undefined) return undefined;
    if (typeof name === "string" && value !== undefined) return [name, value];
  }
  throw invalidValue(path, "an object of a case and its value", oneof);
}

/** A field or a oneof. */
type Named = Pick<DescField | DescOneof, "name" | "localName">;

/** Reports whether a member is called by the name of TypeScript, or by the one of the guides. */
function isNameOf({ name, localName }: Named, given: unknown): boolean {
  return given === localName || given === name;
}

function unknownMember(path: string, members: readonly Named[]): TypeError {
  const known = members.map((it) => it.localName).join(", ");
  return new TypeError(`${path}: no such member; known: ${known}`);
}

/** Creates the error of a value that has another form than `form`, which is a noun phrase. */
export function invalidValue(
  path: string,
  form: string,
  value: unknown,
  cause?: unknown,
): TypeError {
  const kind = Array.isArray(value) ? "the list " : "";
  return new TypeError(`${path}: must be ${form}, not ${kind}'${String(value)}'`, { cause });
}

function toMember(field: DescField, value: unknown, path: string): unknown {
  if (value === undefined) return value;
  switch (field.fieldKind) {
    case "list":
      if (value === null) return value;
      if (!Array.isArray(value)) throw invalidValue(path, "a list", value);
      return value.map((it, index) => toItem(field, it, `${path}[${index}]`));
    case "map": {
      if (!isMembers(value)) throw invalidValue(path, 'an object such as {"en": "…"}', value);
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
function toItem(field: DescField, value: unknown, path: string): unknown {
  const { message, enum: desc } = field;
  if (message) return toMessage(message, value, path);
  if (desc) return toNumber(desc, value, path);
  if (value === null) return value;
  const [type, form] = SCALARS.get(field.scalar) ?? ["number", "a number"];
  // A 64-bit number is of several types.
  const isValid =
    field.scalar === ScalarType.INT64
      ? typeof value !== "object" && /^-?\d+$/.test(String(value))
      : typeof value === type;
  if (!isValid) throw invalidValue(path, form, value);
  return value;
}

/** The types of scalars, and their descriptions for error messages; another scalar is a number. */
const SCALARS = new Map<ScalarType | undefined, readonly [type: string, form: string]>([
  [ScalarType.STRING, ["string", "a string"]],
  [ScalarType.BOOL, ["boolean", "true or false"]],
  [ScalarType.BYTES, ["object", "a Uint8Array"]],
  [ScalarType.INT64, ["bigint", "an integer"]],
]);

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
    case "google.protobuf.Struct": {
      const json = toJsonValue(value, path);
      // Anything else would be sent as an empty object.
      if (json !== null && !isMembers(json)) throw invalidValue(path, "an object", value);
      return json;
    }
    case "google.protobuf.Value":
      if (isValueInit(schema, value)) return value;
      return fromJson(schema, toJsonValue(value, path), { recursionLimit: RECURSION_LIMIT });
  }
  const form = FORMS[schema.typeName];
  if (form === undefined) {
    if (value !== null && !isMembers(value)) throw invalidValue(path, "an object", value);
    return toInit(schema, value, `${path}.`);
  }
  if (isMembers(value) && !(value instanceof Date)) return value;
  try {
    const isMask = schema.typeName === "google.protobuf.FieldMask" && typeof value === "string";
    return fromJson(schema, isMask ? toCamel(value) : toJsonValue(value, path));
  } catch (cause) {
    throw invalidValue(path, form, value, cause);
  }
}

/** Returns a mask in the spelling that the JSON of protobuf has. */
function toCamel(mask: string): string {
  return mask.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Reports whether a value is written as protobuf's own members, such as `{ kind: { case: "stringValue", value: "x" } }`. */
function isValueInit(schema: DescMessage, value: unknown): boolean {
  if (!isObject(value) || !isObject(value.kind)) return false;
  const { case: kind } = value.kind;
  return schema.fields.some((it) => it.localName === kind);
}

function toJsonValue(value: unknown, path: string): JsonValue {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch (cause) {
    throw invalidValue(path, "JSON", value, cause);
  }
}

/** Reports whether a value has members by their names. */
function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return isObject(value) && !Array.isArray(value);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
