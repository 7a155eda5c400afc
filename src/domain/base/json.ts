import type { JsonObject, JsonValue } from "@bufbuild/protobuf";

/** The options of JSON with proto field names, including the zero values of fields without presence. */
export const FULL_JSON = { alwaysEmitImplicit: true, useProtoFieldName: true } as const;

/** Reports whether a value has keys. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns an own value of an object: a key may be `__proto__`. */
export function readOwn(object: JsonObject | undefined, key: string): JsonValue | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Sets an own property, even `__proto__`, where an assignment would change the prototype. */
export function setOwn<T>(object: Record<string, T>, key: string, value: T): void {
  if (key === "__proto__") {
    const property = { value, writable: true, enumerable: true, configurable: true };
    Object.defineProperty(object, key, property);
  } else {
    object[key] = value;
  }
}
