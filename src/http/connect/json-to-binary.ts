import {
  type DescField,
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonReadOptions,
  type JsonValue,
  ScalarType,
  toBinary,
} from "@bufbuild/protobuf";
import { WireType } from "@bufbuild/protobuf/wire";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import type { WireWriter } from "./wire-writer.ts";

/** The types that a `google.protobuf.Any` may hold. */
export type JsonOptions = Pick<JsonReadOptions, "registry">;

/**
 * Writes the JSON of a message in the binary format byte for byte as `toBinary` does after `fromJson`, in a quarter
 * of the time: no message is created. Fields of rare forms are left to the library.
 */
export function writeJsonAsBinary(
  desc: DescMessage,
  json: JsonValue,
  options: JsonOptions,
  writer: WireWriter,
): void {
  const write = WELL_KNOWN.get(desc.typeName);
  if (write?.(json, writer)) return;
  const fields = fieldsOf(desc);
  if (fields === undefined || !isObject(json) || !isCovered(json, fields)) {
    writer.raw(toBinary(desc, fromJson(desc, json, options)));
    return;
  }
  for (const { name, write } of fields.ordered) {
    const value = json[name];
    if (value === undefined || write?.(value, options, writer)) continue;
    writer.raw(toBinary(desc, fromJson(desc, { [name]: value }, options)));
  }
}

/** Writes a field with its tag; returns false, and writes nothing, for a value that is left to the library. */
export type WriteField = (value: JsonValue, options: JsonOptions, writer: WireWriter) => boolean;

interface Fields {
  /** Ordered by their numbers. `write` is absent for fields of rare forms. */
  readonly ordered: readonly { readonly name: string; readonly write: WriteField | undefined }[];
  readonly names: ReadonlySet<string>;
}

const FIELDS = new WeakMap<DescMessage, Fields>();

/** Returns the fields of a message type; undefined for the well-known types, whose JSON has other forms. */
function fieldsOf(desc: DescMessage): Fields | undefined {
  if (desc.typeName.startsWith("google.protobuf.")) return undefined;
  const known = FIELDS.get(desc);
  if (known !== undefined) return known;
  const sorted = desc.fields.toSorted((a, b) => a.number - b.number);
  const ordered = sorted.map((field) => ({ name: field.jsonName, write: compileField(field) }));
  const fields = { ordered, names: new Set(ordered.map(({ name }) => name)) };
  FIELDS.set(desc, fields);
  return fields;
}

/** Reports whether all members are fields by their JSON names; proto names and unknown ones are the library's. */
function isCovered(json: JsonObject, { names }: Fields): boolean {
  for (const name in json) if (!names.has(name)) return false;
  return true;
}

/** Compiles the function that writes a field; undefined for the rare forms. */
export function compileField(field: DescField): WriteField | undefined {
  switch (field.fieldKind) {
    case "scalar":
    case "enum":
    case "message": {
      const write = compileValue(field);
      if (write === undefined) return undefined;
      const isImplicit = field.presence === FeatureSet_FieldPresence.IMPLICIT;
      return (value, options, writer) =>
        (isImplicit && isZero(value)) || write(value, options, writer);
    }
    case "list": {
      // Numbers and enums are packed.
      const isOwn = field.listKind === "message" || field.scalar === ScalarType.STRING;
      const write = isOwn ? compileValue(field) : undefined;
      return write && ((value, options, writer) => writeList(value, options, writer, write));
    }
    case "map":
      return isTextMap(field) ? compileTextMap(field) : undefined;
    default:
      return field satisfies never;
  }
}

function isZero(value: JsonValue): boolean {
  return value === "" || value === false;
}

/** Compiles the function that writes one value of a field with its tag. */
function compileValue(field: DescField): WriteField | undefined {
  const { message, number } = field;
  if (message !== undefined) {
    if (field.fieldKind !== "map" && "delimitedEncoding" in field && field.delimitedEncoding) {
      return undefined;
    }
    const tag = toTag(number, WireType.LengthDelimited);
    return (value, options, writer) => {
      if (value === null) return false;
      writer.varint(tag);
      const start = writer.begin();
      writeJsonAsBinary(message, value, options, writer);
      writer.end(start);
      return true;
    };
  }
  if (field.enum !== undefined) {
    const tag = toTag(number, WireType.Varint);
    const numbers = new Map(field.enum.values.map((value) => [value.name, value.number]));
    const isImplicit = field.presence === FeatureSet_FieldPresence.IMPLICIT;
    const zero = field.enum.values[0]?.number;
    return (value, _, writer) => {
      const known = typeof value === "string" ? numbers.get(value) : undefined;
      if (known === undefined || known < 0) return false;
      if (isImplicit && known === zero) return true;
      writer.varint(tag);
      writer.varint(known);
      return true;
    };
  }
  switch (field.scalar) {
    case ScalarType.STRING: {
      const tag = toTag(number, WireType.LengthDelimited);
      return (value, _, writer) => {
        if (typeof value !== "string") return false;
        writer.varint(tag);
        writer.string(value);
        return true;
      };
    }
    case ScalarType.BOOL: {
      const tag = toTag(number, WireType.Varint);
      return (value, _, writer) => {
        if (typeof value !== "boolean") return false;
        writer.varint(tag);
        writer.varint(value ? 1 : 0);
        return true;
      };
    }
    default:
      return undefined;
  }
}

/** Writes the values of a list; all or, as the library must write the whole list, none. */
function writeList(
  list: JsonValue,
  options: JsonOptions,
  writer: WireWriter,
  write: WriteField,
): boolean {
  if (!Array.isArray(list)) return false;
  const start = writer.mark();
  for (const item of list) {
    if (write(item, options, writer)) continue;
    writer.reset(start);
    return false;
  }
  return true;
}

function isTextMap(field: DescField & { fieldKind: "map" }): boolean {
  return field.mapKey === ScalarType.STRING && field.scalar === ScalarType.STRING;
}

/** The tags of an entry of a map whose values are delimited. */
const [KEY, VALUE] = [toTag(1, WireType.LengthDelimited), toTag(2, WireType.LengthDelimited)];

function compileTextMap({ number }: DescField): WriteField {
  const tag = toTag(number, WireType.LengthDelimited);
  return (value, _, writer) => {
    if (!isObject(value) || !Object.values(value).every((it) => typeof it === "string"))
      return false;
    for (const key in value) {
      writer.varint(tag);
      const start = writer.begin();
      writer.varint(KEY);
      writer.string(key);
      writer.varint(VALUE);
      writer.string(value[key] as string);
      writer.end(start);
    }
    return true;
  };
}

/** Writes a well-known type from its JSON; returns false, and writes nothing, for what is left to the library. */
type WriteWellKnown = (value: JsonValue, writer: WireWriter) => boolean;

const WELL_KNOWN: ReadonlyMap<string, WriteWellKnown> = new Map([
  ["google.protobuf.Timestamp", writeTimestamp],
  ["google.protobuf.Struct", writeStruct],
]);

/** A time in whole seconds after 1970, as the library writes it. */
const SECONDS = /^(?:19[7-9]\d|[2-9]\d{3})-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** The times of a project are of few days, and to parse one takes longer than to find its day. */
const MOST_DAYS = 10_000;

/** The Unix times of days, in seconds. */
const DAYS = new Map<string, number>();

function writeTimestamp(value: JsonValue, writer: WireWriter): boolean {
  if (typeof value !== "string" || !SECONDS.test(value)) return false;
  const [hours, minutes, seconds] = [readTwo(value, 11), readTwo(value, 14), readTwo(value, 17)];
  const time = findDay(value.slice(0, 10)) + (hours * 60 + minutes) * 60 + seconds;
  // Also false for a day that does not exist.
  if (!(time > 0)) return false;
  writer.varint(toTag(1, WireType.Varint));
  writer.varint(time);
  return true;
}

function findDay(day: string): number {
  const known = DAYS.get(day);
  if (known !== undefined) return known;
  const time = Date.parse(`${day}T00:00:00Z`) / 1_000;
  if (DAYS.size >= MOST_DAYS) DAYS.clear();
  DAYS.set(day, time);
  return time;
}

/** Reads a number of two digits. */
function readTwo(text: string, at: number): number {
  return text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 11 * 0x30;
}

function writeStruct(value: JsonValue, writer: WireWriter): boolean {
  if (!isObject(value)) return false;
  for (const key in value) {
    writer.varint(STRUCT_ENTRY);
    const start = writer.begin();
    writer.varint(KEY);
    writer.string(key);
    writer.varint(VALUE);
    writeValue(value[key] ?? null, writer);
    writer.end(start);
  }
  return true;
}

const STRUCT_ENTRY = toTag(1, WireType.LengthDelimited);
const LIST_ITEM = toTag(1, WireType.LengthDelimited);

/** The tags of the kinds of a `google.protobuf.Value`. */
const KINDS = {
  null: toTag(1, WireType.Varint),
  number: toTag(2, WireType.Bit64),
  string: toTag(3, WireType.LengthDelimited),
  boolean: toTag(4, WireType.Varint),
  struct: toTag(5, WireType.LengthDelimited),
  list: toTag(6, WireType.LengthDelimited),
} as const;

/** Writes a `google.protobuf.Value` after its length. */
function writeValue(value: JsonValue, writer: WireWriter): void {
  const start = writer.begin();
  switch (typeof value) {
    case "string":
      writer.varint(KINDS.string);
      writer.string(value);
      break;
    case "number":
      writer.varint(KINDS.number);
      writer.double(value);
      break;
    case "boolean":
      writer.varint(KINDS.boolean);
      writer.varint(value ? 1 : 0);
      break;
    default:
      writeComposite(value, writer);
  }
  writer.end(start);
}

function writeComposite(value: JsonObject | JsonValue[] | null, writer: WireWriter): void {
  if (value === null) {
    writer.varint(KINDS.null);
    writer.varint(0);
    return;
  }
  writer.varint(Array.isArray(value) ? KINDS.list : KINDS.struct);
  const start = writer.begin();
  if (Array.isArray(value)) {
    for (const item of value) {
      writer.varint(LIST_ITEM);
      writeValue(item, writer);
    }
  } else {
    writeStruct(value, writer);
  }
  writer.end(start);
}

/** Returns the tag of a field, the number with which it begins. */
export function toTag(number: number, type: WireType): number {
  return number * 8 + type;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
