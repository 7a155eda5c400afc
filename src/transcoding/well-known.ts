import {
  type DescMessage,
  fromJson,
  type Message,
  type JsonObject as PlainObject,
  type JsonValue as PlainValue,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import {
  DurationSchema,
  hasCustomJsonRepresentation,
  isWrapperDesc,
  TimestampSchema,
} from "@bufbuild/protobuf/wkt";
import { invalidField } from "../domain/errors.ts";
import { clip } from "../domain/messages/clip.ts";
import { CHECKED_DEPTH } from "../domain/messages/recursion-limit.ts";
import { parseFieldMask } from "./field-mask.ts";
import { isObject, type JsonValue, LongInteger, setOwn } from "./json-value.ts";
import { readScalar, readText, wrongType } from "./read-scalar.ts";

/**
 * Reads the JSON of a well-known type that has its own JSON form (Timestamp, Struct, FieldMask …);
 * undefined for every other message. Throws VALUE_INVALID.
 */
export function readWellKnown(
  desc: DescMessage,
  json: JsonValue,
  field: string,
): Message | undefined {
  switch (desc.typeName) {
    case "google.protobuf.FieldMask":
      return parseFieldMask(readText(json, field));
    case "google.protobuf.Timestamp":
      return readTimestamp(json, field);
    case "google.protobuf.Duration":
      return readDuration(json, field);
    case "google.protobuf.Struct":
      return fromJson(desc, readStruct(json, field), CHECKED_DEPTH);
    case "google.protobuf.ListValue":
      if (!Array.isArray(json)) {
        throw wrongType(field, "an array", json);
      }
      return readFree(desc, json, field);
    case "google.protobuf.Value":
      return readFree(desc, json, field);
    default:
      if (isWrapperDesc(desc)) {
        const [value] = desc.fields;
        const wrapper = reflect(desc);
        wrapper.set(value, readScalar(value.scalar, json, field));
        return wrapper.message;
      }
      if (hasCustomJsonRepresentation(desc)) {
        throw invalidField(field, "VALUE_INVALID", `${desc.typeName} is not supported`);
      }
      return undefined;
  }
}

/** Reads the JSON of a Struct into plain JSON. Throws VALUE_INVALID. */
export function readStruct(json: JsonValue, field: string): PlainObject {
  if (!isObject(json)) {
    throw wrongType(field, "an object", json);
  }
  return toPlain(json, field) as PlainObject;
}

function readTimestamp(json: JsonValue, field: string): Message {
  const text = readText(json, field);
  const timestamp = decode(TimestampSchema, text);
  if (timestamp === undefined || !isOnCalendar(text)) {
    const description = "expected an RFC 3339 timestamp such as 2026-06-11T19:00:00Z";
    throw invalidField(field, "VALUE_INVALID", description);
  }
  return timestamp;
}

/** Reports whether the date exists: Date.parse moves 30 February and hour 24 to another day. */
function isOnCalendar(timestamp: string): boolean {
  const date = timestamp.slice(0, 10);
  return new Date(date).toISOString().startsWith(date) && timestamp.slice(11, 13) !== "24";
}

const DURATION = /^-?[0-9]{1,12}(\.[0-9]{1,9})?s$/;

function readDuration(json: JsonValue, field: string): Message {
  const text = readText(json, field);
  const duration = DURATION.test(text) ? decode(DurationSchema, text) : undefined;
  if (duration === undefined) {
    const description = 'expected seconds with at most 9 fractional digits and "s", such as 75.5s';
    throw invalidField(field, "VALUE_INVALID", description);
  }
  return duration;
}

function decode(desc: DescMessage, text: string): Message | undefined {
  try {
    return fromJson(desc, text);
  } catch {
    return undefined;
  }
}

function readFree(desc: DescMessage, json: JsonValue, field: string): Message {
  return fromJson(desc, toPlain(json, field), CHECKED_DEPTH);
}

/** Copies JSON with long integers as numbers; nulls, false and all keys stay. */
function toPlain(json: JsonValue, field: string): PlainValue {
  if (json === null || typeof json === "boolean") {
    return json;
  }
  if (typeof json === "string") {
    return readText(json, field);
  }
  if (typeof json === "number" || json instanceof LongInteger) {
    return readFinite(json, field);
  }
  if (Array.isArray(json)) {
    return json.map((item, index) => toPlain(item, `${field}[${index}]`));
  }
  const plain: PlainObject = {};
  for (const [key, value] of Object.entries(json)) {
    setOwn(plain, readText(key, field), toPlain(value, `${field}.${clip(key)}`));
  }
  return plain;
}

function readFinite(json: number | LongInteger, field: string): number {
  const value = json instanceof LongInteger ? Number(json.text) : json;
  if (!Number.isFinite(value)) {
    throw invalidField(field, "VALUE_INVALID", "out of the range of a double");
  }
  return value;
}
