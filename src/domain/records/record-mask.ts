import type { DescField, DescMessage, JsonObject, JsonValue, Message } from "@bufbuild/protobuf";
import { StructSchema } from "@bufbuild/protobuf/wkt";
import { readField, writeField } from "../descriptors.ts";
import { invalidField } from "../field-errors.ts";
import { clip, suggestNames, toSnakeCase } from "../text.ts";
import { applyMask, type CheckedMask } from "../validation/field-mask.ts";

/** The fields of a stored resource that a record changes. */
export interface RecordMask {
  /** The names of whole fields. */
  readonly fields: CheckedMask;
  /** The keys that lead to one value in a field of free JSON, the field's name first: `["fields", "score"]`. */
  readonly values: readonly JsonPath[];
}

type JsonPath = readonly [field: string, ...keys: [string, ...string[]]];

/**
 * Parses the mask of a record: names of fields in snake_case or lowerCamelCase, separated by commas. A path such as
 * `fields.score` leads below a field of free JSON; its keys are kept as they are. INVALID_ARGUMENT
 * `UPDATE_MASK_INVALID` for a name that is not among `allowed`, or an empty one.
 */
export function parseRecordMask(
  text: string,
  schema: DescMessage,
  allowed: readonly string[],
): RecordMask {
  const fields = new Set<string>();
  const values = new Map<string, JsonPath>();
  for (const path of text.split(",").map((it) => it.trim())) {
    const [first = "", key, ...keys] = path.split(".");
    const name = toSnakeCase(first);
    const isOpen = key === undefined || isFreeJson(schema.fields.find((it) => it.name === name));
    if (!allowed.includes(name) || !isOpen || [key, ...keys].includes("")) {
      throw maskInvalid(path, allowed);
    }
    if (key === undefined) fields.add(name);
    else values.set(path, [name, key, ...keys]);
  }
  const names = Object.assign([...fields], { checked: true as const });
  return { fields: names, values: [...values.values()] };
}

/**
 * Returns a copy of a stored message with the masked fields and values of `sent`; what is absent there is removed. An
 * object on the way to a value is created if it is missing or no object.
 */
export function applyRecordMask(
  schema: DescMessage,
  stored: Message,
  sent: Message,
  { fields, values }: RecordMask,
): Message {
  const result = applyMask(schema, stored, sent, fields);
  for (const [name, ...keys] of values) {
    const field = schema.fields.find((it) => it.name === name) as DescField;
    const from = readField(sent, field) as JsonObject | undefined;
    const to = readField(result, field) as JsonObject | undefined;
    writeField(result, field, setValue(to ?? {}, keys, findValue(from, keys)));
  }
  return result;
}

/** Finds the value that keys lead to; undefined if there is none. */
function findValue(json: JsonValue | undefined, keys: readonly string[]): JsonValue | undefined {
  let value = json;
  for (const key of keys) {
    value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

/** Returns an object with the value at the keys, or without it if it is undefined. */
function setValue(
  json: JsonValue | undefined,
  [key = "", ...keys]: readonly string[],
  value: JsonValue | undefined,
): JsonObject {
  const entries = new Map(isObject(json) ? Object.entries(json) : []);
  const old = entries.get(key);
  if (keys.length === 0) {
    if (value === undefined) entries.delete(key);
    else entries.set(key, value);
  } else if (value !== undefined || isObject(old)) {
    entries.set(key, setValue(old, keys, value));
  }
  // Also the key `__proto__` becomes an own property.
  return Object.fromEntries(entries);
}

function isObject(json: JsonValue | undefined): json is JsonObject {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

function isFreeJson(field: DescField | undefined): boolean {
  return field?.fieldKind === "message" && field.message.typeName === StructSchema.typeName;
}

function maskInvalid(path: string, allowed: readonly string[]) {
  const names = `${allowed.join(", ")}${suggestNames(path, allowed)}`;
  const description = `'${clip(path)}' is not a field that can be updated; allowed fields: ${names}, and paths below free JSON such as fields.score`;
  return invalidField("fields_mask", "UPDATE_MASK_INVALID", description);
}
