import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { type Document, resolve, type Schema } from "../../openapi.ts";

/** A type of JSON, with its name for editors and its first value. */
export const TYPES = {
  string: ["Text", ""],
  number: ["Number", 0],
  boolean: ["Yes or no", false],
  object: ["Group", {}],
  array: ["List", []],
  null: ["Empty", null],
} as const satisfies Record<string, readonly [string, JsonValue]>;

/** The name of a type of JSON. */
export type TypeName = keyof typeof TYPES;

/** Returns the type of a value. */
export function typeOf(value: JsonValue): TypeName {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : (typeof value as TypeName);
}

/** Returns the schema that values have: objects with all of their keys, lists with the elements of all. */
export function inferSchema(values: readonly JsonValue[]): Schema {
  const [first] = values;
  if (first === undefined) return {};
  const type = typeOf(first);
  if (type === "array") {
    return { type, items: inferSchema(values.flatMap((it) => (Array.isArray(it) ? it : []))) };
  }
  if (type !== "object") return { type };
  const below = new Map<string, JsonValue[]>();
  for (const value of values) {
    if (typeOf(value) !== "object") continue;
    for (const [key, it] of Object.entries(value as JsonObject)) {
      below.set(key, [...(below.get(key) ?? []), it]);
    }
  }
  const properties = Array.from(below, ([key, all]) => [key, inferSchema(all)] as const);
  return { type, properties: Object.fromEntries(properties) };
}

/** Returns the schema of a member or of an element, as far as it is known. */
export function schemaBelow(schema: Schema, key: string | number, document: Document): Schema {
  const { properties, items, additionalProperties } = resolve(schema, document);
  if (typeof key === "number") return items ?? {};
  const open = typeof additionalProperties === "object" ? additionalProperties : {};
  return properties?.[key] ?? open;
}

/** Lists the keys that others of its kind have and that an object lacks. */
export function listProposals(
  schema: Schema,
  value: JsonObject,
  document: Document,
): readonly (readonly [key: string, schema: Schema])[] {
  const { properties = {} } = resolve(schema, document);
  return Object.entries(properties)
    .filter(([key]) => !(key in value))
    .map(([key, it]) => [key, resolve(it, document)]);
}

/** Returns the first value of a schema, such as `0` for a number. */
export function firstValueOf(schema: Schema): JsonValue {
  const type = schema.type === "integer" ? "number" : schema.type;
  const [, value] = TYPES[(type ?? (schema.properties ? "object" : "string")) as TypeName];
  return structuredClone(value) as JsonValue;
}
