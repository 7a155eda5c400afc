import type { DescField, DescMessage, DescOneof } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { Code, DomainError, invalidField } from "../domain/errors.ts";
import { clip } from "../domain/messages/clip.ts";
import { isObject, type JsonObject, type JsonValue } from "./json-value.ts";
import { quote } from "./quote.ts";
import { readEnum, readScalar, readScalarText, readText, wrongType } from "./read-scalar.ts";
import { suggest } from "./suggest.ts";
import { readStruct, readWellKnown } from "./well-known.ts";

/**
 * Reads the JSON of a message at `path`. Every fault is an INVALID_ARGUMENT with the path of the
 * field: FIELD_UNKNOWN, FIELD_DUPLICATE, VALUE_INVALID, ENUM_UNKNOWN, ONEOF_CONFLICT.
 */
export function readMessage(desc: DescMessage, json: JsonValue, path: string): ReflectMessage {
  const wellKnown = readWellKnown(desc, json, path);
  if (wellKnown !== undefined) {
    return reflect(desc, wellKnown, false);
  }
  if (!isObject(json)) {
    throw wrongType(path, "an object", json);
  }
  const target = reflect(desc, undefined, false);
  readFields(target, json, path);
  return target;
}

/** Reads the members of a JSON object into the fields of a message. */
export function readFields(target: ReflectMessage, json: JsonObject, path: string): void {
  const fields = fieldsByName(target.desc);
  const seen = new Set<DescField>();
  for (const [key, value] of Object.entries(json)) {
    const field = fields.get(key);
    if (field === undefined) {
      const names = target.desc.fields.map(({ name }) => name);
      const description = `no field ${quote(key)}; ${suggest(key, names)}`;
      throw invalidField(join(path, clip(key)), "FIELD_UNKNOWN", description);
    }
    const fieldPath = join(path, field.name);
    if (seen.has(field)) {
      const description = `sent as both ${field.name} and ${field.jsonName}; send it once`;
      throw invalidField(fieldPath, "FIELD_DUPLICATE", description);
    }
    seen.add(field);
    readField(target, field, value, fieldPath);
  }
}

/**
 * Reads the JSON of one field into its message. A null counts as not sent, and so does false for a
 * boolean member of a oneof.
 */
export function readField(
  target: ReflectMessage,
  field: DescField,
  json: JsonValue,
  path: string,
): void {
  if (json === null && !takesNull(field)) {
    return;
  }
  switch (field.fieldKind) {
    case "list":
      readList(target, field, json, path);
      break;
    case "map":
      readMap(target, field, json, path);
      break;
    case "message":
      setMember(target, field, readMember(field.message, json, path), path);
      break;
    case "enum":
      setMember(target, field, json === null ? 0 : readEnum(field.enum, json, path), path);
      break;
    case "scalar":
      setMember(target, field, readScalar(field.scalar, json, path), path);
      break;
    default:
      field satisfies never;
  }
}

/**
 * Sets a singular field, except a oneof member to false. Throws ONEOF_CONFLICT if another member of
 * its oneof is set.
 */
export function setMember(
  target: ReflectMessage,
  field: DescField,
  value: unknown,
  path: string,
): void {
  if (field.oneof !== undefined) {
    if (value === false) {
      return;
    }
    const other = target.oneofCase(field.oneof);
    if (other !== undefined && other !== field) {
      throw oneofConflict(field.oneof, other, field, path);
    }
  }
  target.set(field, value);
}

const NAMES = new WeakMap<DescMessage, ReadonlyMap<string, DescField>>();

/** Indexes the fields of a message by proto name and JSON name. */
export function fieldsByName(desc: DescMessage): ReadonlyMap<string, DescField> {
  let fields = NAMES.get(desc);
  if (fields === undefined) {
    fields = new Map([
      ...desc.fields.map((field) => [field.jsonName, field] as const),
      ...desc.fields.map((field) => [field.name, field] as const),
    ]);
    NAMES.set(desc, fields);
  }
  return fields;
}

type ListField = DescField & { fieldKind: "list" };
type MapField = DescField & { fieldKind: "map" };

function readList(target: ReflectMessage, field: ListField, json: JsonValue, path: string): void {
  if (!Array.isArray(json)) {
    throw wrongType(path, "an array", json);
  }
  const list = target.get(field);
  json.forEach((item, index) => {
    list.add(readItem(field, item, `${path}[${index}]`));
  });
}

function readMap(target: ReflectMessage, field: MapField, json: JsonValue, path: string): void {
  if (!isObject(json)) {
    throw wrongType(path, "an object", json);
  }
  const map = target.get(field);
  for (const [text, value] of Object.entries(json)) {
    const entryPath = `${path}[${quote(text)}]`;
    const key = readScalarText(field.mapKey, readText(text, entryPath), entryPath);
    if (map.has(key)) {
      throw invalidField(entryPath, "FIELD_DUPLICATE", "the key is repeated; send it once");
    }
    map.set(key, readItem(field, value, entryPath));
  }
}

function readItem(field: ListField | MapField, json: JsonValue, path: string): unknown {
  if (field.message !== undefined) {
    return readMember(field.message, json, path);
  }
  if (field.enum !== undefined) {
    return json === null && takesNull(field) ? 0 : readEnum(field.enum, json, path);
  }
  return readScalar(field.scalar, json, path);
}

/** Reads a message as the value of a field: a Struct is plain JSON there. */
function readMember(desc: DescMessage, json: JsonValue, path: string): unknown {
  return desc.typeName === "google.protobuf.Struct"
    ? readStruct(json, path)
    : readMessage(desc, json, path);
}

/** Reports whether null is a value of the type, as for google.protobuf.Value. */
function takesNull(field: DescField): boolean {
  return (
    (field.fieldKind === "message" && field.message.typeName === "google.protobuf.Value") ||
    field.enum?.typeName === "google.protobuf.NullValue"
  );
}

function oneofConflict(
  oneof: DescOneof,
  first: DescField,
  second: DescField,
  path: string,
): DomainError {
  const parent = path.slice(0, path.length - second.name.length);
  const fields = [first, second].map(({ name }) => ({
    field: parent + name,
    description: `set only one member of ${oneof.name}`,
  }));
  const message = `${parent}${oneof.name}: ${first.name} and ${second.name} must not be set together`;
  return new DomainError(Code.INVALID_ARGUMENT, "ONEOF_CONFLICT", message, {
    fields,
    metadata: { oneof: parent + oneof.name, first: first.name, second: second.name },
  });
}

function join(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}
