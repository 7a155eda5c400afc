/** A JSON value in which long integers keep their digits. */
export type JsonValue = null | boolean | number | string | LongInteger | JsonValue[] | JsonObject;

/** A JSON object; every key is an own property, `__proto__` included. */
export interface JsonObject {
  [key: string]: JsonValue;
}

/** An integer beyond ±(2^53 - 1), as written. */
export class LongInteger {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Reports whether a JSON value is an object. */
export function isObject(json: JsonValue): json is JsonObject {
  return (
    typeof json === "object" &&
    json !== null &&
    !Array.isArray(json) &&
    !(json instanceof LongInteger)
  );
}

/** Sets an own property, even `__proto__`, for which an assignment would change the prototype. */
export function setOwn<T>(object: Record<string, T>, key: string, value: T): void {
  if (key === "__proto__") {
    const property = { value, writable: true, enumerable: true, configurable: true };
    Object.defineProperty(object, key, property);
  } else {
    object[key] = value;
  }
}
