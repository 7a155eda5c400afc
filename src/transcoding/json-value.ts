/** A JSON value whose long integers kept their digits. */
export type JsonValue = null | boolean | number | string | LongInteger | JsonValue[] | JsonObject;

/** A JSON object; every key is an own property, `__proto__` included. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** An integer beyond 2^53 - 1 either way, as it was written. */
export class LongInteger {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Tells a JSON object from every other JSON value. */
export function isObject(json: JsonValue): json is JsonObject {
  return (
    typeof json === "object" &&
    json !== null &&
    !Array.isArray(json) &&
    !(json instanceof LongInteger)
  );
}

/** Sets an own property also where assigning would reach the prototype: for `__proto__`. */
export function setOwn<T>(object: Record<string, T>, key: string, value: T): void {
  if (key === "__proto__") {
    const property = { value, writable: true, enumerable: true, configurable: true };
    Object.defineProperty(object, key, property);
  } else {
    object[key] = value;
  }
}
