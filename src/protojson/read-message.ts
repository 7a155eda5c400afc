import type { JsonObject as PlainObject, JsonValue as PlainValue } from "@bufbuild/protobuf";
import {
  create,
  type DescField,
  type DescMessage,
  fromJson,
  type Message,
  type Registry,
} from "@bufbuild/protobuf";
import {
  DurationSchema,
  type FieldMask,
  FieldMaskSchema,
  hasCustomJsonRepresentation,
  isWrapperDesc,
  TimestampSchema,
} from "@bufbuild/protobuf/wkt";
import { CHECKED_DEPTH, perDescriptor, readField, writeField } from "../domain/base/descriptors.ts";
import { Code, DomainError } from "../domain/base/errors.ts";
import { invalidField } from "../domain/base/field-errors.ts";
import { setOwn } from "../domain/base/json.ts";
import { clip, listNearNames, quote, toSnakeCase } from "../domain/base/text.ts";
import { isReadAlone, keepError } from "../domain/base/unreadable-items.ts";
import { MOST_WARNINGS, type Warning } from "../domain/base/warnings.ts";
import { isObject, type JsonObject, type JsonValue, LongInteger } from "./read-json.ts";
import { readEnum, readScalar, readScalarText, readText, wrongType } from "./read-scalar.ts";

/** The forms that a reader accepts besides the strict one. */
export interface ReadOptions {
  /** Accepts an enum by its number, which a file of records may contain. Default: false. */
  readonly acceptsEnumNumbers?: boolean;
  /** Receives warnings about unknown fields, which are skipped. Default: they are errors. */
  readonly warnings?: Warning[];
  /** The types that a `google.protobuf.Any` may contain. Default: none. */
  readonly registry?: Registry;
}

/**
 * Reads the JSON of a message at `path`. Every error is an INVALID_ARGUMENT with the path of the field: FIELD_UNKNOWN,
 * FIELD_DUPLICATE, VALUE_INVALID, ENUM_UNKNOWN, ONEOF_CONFLICT.
 */
export function readMessage(
  desc: DescMessage,
  json: JsonValue,
  path: string,
  options: ReadOptions = {},
): Message {
  if (desc.typeName.startsWith("google.protobuf.")) {
    const message = readWellKnown(desc, json, path, options);
    if (message !== undefined) return message;
  }
  if (!isObject(json)) throw wrongType(path, "an object", json);
  const message = create(desc);
  readMembers(desc, message, json, path, options);
  return message;
}

/** Reads the members of a JSON object into the fields of a message. */
export function readMembers(
  desc: DescMessage,
  message: Message,
  json: JsonObject,
  path: string,
  options: ReadOptions = {},
): void {
  const fields = fieldsByName(desc);
  const seen = new Set<DescField>();
  for (const key of Object.keys(json)) {
    const field = fields.get(key);
    if (field === undefined) {
      noteUnknown(desc, key, join(path, clip(key)), options.warnings);
      continue;
    }
    const fieldPath = join(path, field.name);
    if (seen.has(field)) {
      const description = `sent as both ${field.name} and ${field.jsonName}; send it once`;
      throw invalidField(fieldPath, "FIELD_DUPLICATE", description);
    }
    seen.add(field);
    readMember(message, field, json[key] ?? null, fieldPath, options);
  }
}

/** Warns of a field that a message does not have, or rejects it: FIELD_UNKNOWN. */
function noteUnknown(
  desc: DescMessage,
  key: string,
  path: string,
  warnings: Warning[] | undefined,
): void {
  if (warnings === undefined) {
    const unknown = describeUnknown(desc, key, ({ name }) => name);
    throw invalidField(path, "FIELD_UNKNOWN", unknown);
  }
  if (warnings.length >= MOST_WARNINGS) return;
  const description = describeUnknown(desc, key, ({ jsonName }) => jsonName);
  warnings.push({ code: "FIELD_UNKNOWN", fields: [path], message: `${path}: ${description}` });
}

/** Describes an unknown field: it may belong into a member, be in one that is not needed, or be misspelled. */
function describeUnknown(
  { fields, name }: DescMessage,
  key: string,
  nameOf: (field: DescField) => string,
): string {
  const start = `no field ${quote(key)}`;
  const holder = fields.find(
    (field) => field.fieldKind === "message" && fieldsByName(field.message).has(key),
  );
  if (holder !== undefined) return `${start}; put it into ${quote(nameOf(holder))}`;
  if (simplify(key) === simplify(name)) {
    return `${start}; send its fields without ${quote(key)} around them`;
  }
  return `${start}; ${suggest(key, fields.map(nameOf))}`;
}

/**
 * Reads the JSON of one field into its message. A null counts as not sent, and so does false for a
 * boolean member of a oneof.
 */
export function readMember(
  message: Message,
  field: DescField,
  json: JsonValue,
  path: string,
  options: ReadOptions = {},
): void {
  if (json === null && !takesNull(field)) return;
  switch (field.fieldKind) {
    case "list": {
      if (!Array.isArray(json)) throw wrongType(path, "an array", json);
      const items = json.map((item, index) =>
        field.message !== undefined && isReadAlone(field)
          ? readAlone(field.message, item, options)
          : readValue(field, item, `${path}[${index}]`, options),
      );
      writeField(message, field, items);
      break;
    }
    case "map":
      if (!isObject(json)) throw wrongType(path, "an object", json);
      writeField(message, field, readMap(field, json, path, options));
      break;
    default:
      setMember(message, field, readValue(field, json, path, options), path);
  }
}

/** Reads an item of a list, by paths below it. Its error is kept, with the ids of the item that can be read. */
function readAlone(desc: DescMessage, json: JsonValue, options: ReadOptions): Message {
  try {
    return readMessage(desc, json, "", options);
  } catch (error) {
    const item = readIds(desc, json);
    keepError(item, error);
    return item;
  }
}

/** Reads the ids in an item and in the messages directly below it; an empty message if even they cannot be read. */
function readIds(desc: DescMessage, json: JsonValue): Message {
  try {
    return readMessage(desc, selectIds(json, 2), "");
  } catch {
    return create(desc);
  }
}

function selectIds(json: JsonValue, depth: number): JsonObject {
  const ids: JsonObject = {};
  for (const [key, value] of Object.entries(isObject(json) ? json : {})) {
    if (key === "id") ids[key] = value;
    else if (isObject(value) && depth > 1) setOwn(ids, key, selectIds(value, depth - 1));
  }
  return ids;
}

/**
 * Sets a singular field, except a oneof member to false. Throws ONEOF_CONFLICT if another member of
 * its oneof is set.
 */
export function setMember(message: Message, field: DescField, value: unknown, path: string): void {
  if (field.oneof !== undefined) {
    if (value === false) return;
    const other = field.oneof.fields.find((member) => readField(message, member) !== undefined);
    if (other !== undefined && other !== field) throw oneofConflict(other, field, path);
  }
  writeField(message, field, value);
}

/** Indexes the fields of a message by proto name and JSON name. */
export const fieldsByName = perDescriptor(
  ({ fields }: DescMessage): ReadonlyMap<string, DescField> =>
    new Map([
      ...fields.map((field) => [field.jsonName, field] as const),
      ...fields.map((field) => [field.name, field] as const),
    ]),
);

type MapField = DescField & { fieldKind: "map" };

function readMap(
  field: MapField,
  json: JsonObject,
  path: string,
  options: ReadOptions,
): Record<string, unknown> {
  const map: Record<string, unknown> = {};
  for (const text of Object.keys(json)) {
    const entryPath = `${path}[${quote(text)}]`;
    const key = String(readScalarText(field.mapKey, readText(text, entryPath), entryPath));
    if (Object.hasOwn(map, key)) {
      throw invalidField(entryPath, "FIELD_DUPLICATE", "the key is repeated; send it once");
    }
    setOwn(map, key, readValue(field, json[text] ?? null, entryPath, options));
  }
  return map;
}

/** Reads the value of a singular field, one item of a list or one value of a map, as in messages. */
function readValue(field: DescField, json: JsonValue, path: string, options: ReadOptions): unknown {
  if (field.message !== undefined) {
    // A Struct is plain JSON in the field of a message.
    return field.message.typeName === "google.protobuf.Struct"
      ? readStruct(json, path)
      : unwrap(field, readMessage(field.message, json, path, options));
  }
  if (field.enum !== undefined) {
    if (json === null && takesNull(field)) return 0;
    const isNumber = options.acceptsEnumNumbers === true && Number.isInteger(json);
    return isNumber ? json : readEnum(field.enum, json, path);
  }
  return readScalar(field.scalar, json, path);
}

/** Returns the value of a message field: a wrapper is its value, except in a list, map or oneof. */
function unwrap(field: DescField, message: Message): unknown {
  const isPlain = field.fieldKind === "message" && field.oneof === undefined;
  const isWrapper = isPlain && isWrapperDesc(field.message);
  return isWrapper ? readField(message, field.message.fields[0]) : message;
}

/** Reports whether null is a value of the type, as for google.protobuf.Value. */
function takesNull(field: DescField): boolean {
  return (
    (field.fieldKind === "message" && field.message.typeName === "google.protobuf.Value") ||
    field.enum?.typeName === "google.protobuf.NullValue"
  );
}

function oneofConflict(first: DescField, second: DescField, path: string): DomainError {
  const parent = path.slice(0, path.length - second.name.length);
  const oneof = second.oneof?.name ?? "";
  const fields = [first, second].map(({ name }) => ({
    field: parent + name,
    description: `set only one member of ${oneof}`,
  }));
  const message = `${parent}${oneof}: ${first.name} and ${second.name} must not be set together`;
  return new DomainError(Code.INVALID_ARGUMENT, "ONEOF_CONFLICT", message, {
    fields,
    metadata: { oneof: parent + oneof, first: first.name, second: second.name },
  });
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/**
 * Ends the message about an unknown name: proposes the known names that it may be a misspelling of,
 * nearest first, or else lists the known ones. Ignores case and separators: `Page-Size` is near `page_size`.
 */
export function suggest(name: string, known: readonly string[]): string {
  const bySimpleName = new Map(known.map((each) => [simplify(each), each]));
  const near = listNearNames(simplify(name), bySimpleName.keys());
  if (near.length === 0) return `known: ${known.length === 0 ? "none" : known.join(", ")}`;
  return `did you mean ${near.map((each) => quote(bySimpleName.get(each) ?? each)).join(" or ")}?`;
}

function simplify(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, "");
}

/**
 * Reads the JSON of a well-known type that has its own JSON form (Timestamp, Struct, FieldMask …);
 * undefined for every other message. Throws VALUE_INVALID.
 */
function readWellKnown(
  desc: DescMessage,
  json: JsonValue,
  path: string,
  { registry }: ReadOptions,
): Message | undefined {
  switch (desc.typeName) {
    case "google.protobuf.FieldMask":
      if (typeof json !== "string") throw wrongType(path, "names separated by commas", json);
      return parseFieldMask(readText(json, path));
    case "google.protobuf.Timestamp":
      return readTimestamp(json, path);
    case "google.protobuf.Duration":
      return readDuration(json, path);
    case "google.protobuf.Struct":
      return fromJson(desc, readStruct(json, path), CHECKED_DEPTH);
    case "google.protobuf.ListValue":
      if (!Array.isArray(json)) throw wrongType(path, "an array", json);
      return fromJson(desc, toPlain(json, path), CHECKED_DEPTH);
    case "google.protobuf.Value":
      return fromJson(desc, toPlain(json, path), CHECKED_DEPTH);
    default:
      if (isWrapperDesc(desc)) {
        const [value] = desc.fields;
        const wrapper = create<DescMessage>(desc);
        writeField(wrapper, value, readScalar(value.scalar, json, path));
        return wrapper;
      }
      if (desc.typeName === "google.protobuf.Any" && registry !== undefined) {
        return fromJson(desc, toPlain(json, path), { registry });
      }
      if (hasCustomJsonRepresentation(desc)) {
        throw invalidField(path, "VALUE_INVALID", `${desc.typeName} is not supported`);
      }
      return undefined;
  }
}

/**
 * Parses a field mask: comma-separated names in snake_case or lowerCamelCase. Trims spaces around
 * commas, converts names to snake_case and removes duplicates. Names are not checked: `*`, dotted,
 * unknown and empty ones stay. An empty text has no paths.
 */
function parseFieldMask(text: string): FieldMask {
  const paths = text.trim() === "" ? [] : text.split(",").map((name) => toSnakePath(name.trim()));
  return create(FieldMaskSchema, { paths: [...new Set(paths)] });
}

/** Converts the lowerCamelCase parts of a dotted name to snake_case; other parts stay. */
function toSnakePath(name: string): string {
  const parts = name.split(".");
  return parts.map((part) => (/^[a-z][^_]*$/s.test(part) ? toSnakeCase(part) : part)).join(".");
}

const TIMESTAMP =
  /^(\d{4}-\d\d-(\d\d))T(?:[01]\d|2[0-3]):\d\d:\d\d(?:\.(\d{1,9}))?(?:Z|[+-]\d\d:\d\d)$/;

const [FIRST_TIME, LAST_TIME] = [
  Date.parse("0001-01-01T00:00:00Z"),
  Date.parse("9999-12-31T23:59:59Z"),
];

function readTimestamp(json: JsonValue, path: string): Message {
  const text = typeof json === "string" ? readText(json, path) : "";
  const [, date = "", day, fraction = ""] = TIMESTAMP.exec(text) ?? [];
  const time = Date.parse(fraction === "" ? text : text.replace(`.${fraction}`, ""));
  // Date.parse moves 30 February to another day.
  const isOnCalendar = new Date(date).getUTCDate() === Number(day);
  if (!isOnCalendar || !(time >= FIRST_TIME && time <= LAST_TIME)) {
    const description = "expected an RFC 3339 timestamp such as 2026-06-11T19:00:00Z";
    throw invalidField(path, "VALUE_INVALID", description);
  }
  const timestamp = create(TimestampSchema);
  timestamp.seconds = BigInt(time / 1_000);
  timestamp.nanos = Number(fraction.padEnd(9, "0"));
  return timestamp;
}

const DURATION = /^-?[0-9]{1,12}(\.[0-9]{1,9})?s$/;

function readDuration(json: JsonValue, path: string): Message {
  const text = typeof json === "string" ? readText(json, path) : "";
  try {
    if (DURATION.test(text)) return fromJson(DurationSchema, text);
  } catch {
    // Out of range.
  }
  const description = 'expected seconds with at most 9 fractional digits and "s", such as 75.5s';
  throw invalidField(path, "VALUE_INVALID", description);
}

/** Reads the JSON of a Struct into plain JSON. Throws VALUE_INVALID. */
function readStruct(json: JsonValue, path: string): PlainObject {
  if (!isObject(json)) throw wrongType(path, "an object", json);
  return toPlain(json, path) as PlainObject;
}

/** Copies JSON with long integers as numbers; nulls, false and all keys stay. */
function toPlain(json: JsonValue, path: string): PlainValue {
  if (json === null || typeof json === "boolean") return json;
  if (typeof json === "string") return readText(json, path);
  if (typeof json === "number" || json instanceof LongInteger) return readFinite(json, path);
  if (Array.isArray(json)) return json.map((item, index) => toPlain(item, `${path}[${index}]`));
  const plain: PlainObject = {};
  for (const [key, value] of Object.entries(json)) {
    setOwn(plain, readText(key, path), toPlain(value, `${path}.${clip(key)}`));
  }
  return plain;
}

function readFinite(json: number | LongInteger, path: string): number {
  const value = json instanceof LongInteger ? Number(json.text) : json;
  if (!Number.isFinite(value)) {
    throw invalidField(path, "VALUE_INVALID", "must be a finite number of 64 bits");
  }
  return value;
}
