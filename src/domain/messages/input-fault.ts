import { type DomainError, invalidField } from "../errors.ts";

/** A fault in a caller's value; `path` leads from the value to the field at fault. */
export interface Fault {
  readonly path: string;
  toError(path: string): DomainError;
}

/** Finds the first fault in a value; undefined for a valid one. */
export type Find = (value: never) => Fault | undefined;

/** Creates the fault of a value that ProtoJSON cannot express. */
export function invalidValue(description: string): Fault {
  return createFault("VALUE_INVALID", description);
}

/** Creates the fault of a text or a key that is too long. */
export function tooLong(size: number, limit: number, what: string): Fault {
  return createFault("FIELD_TOO_LONG", describe(size, limit, what), size, limit);
}

/** Creates the fault of a list or a map with too many items. */
export function tooMany(size: number, limit: number, what: string): Fault {
  return createFault("TOO_MANY_ITEMS", describe(size, limit, what), size, limit);
}

function describe(size: number, limit: number, what: string): string {
  return `must have at most ${limit} ${what}, not ${size}`;
}

/** Creates a fault of the value itself, with its size and the limit if it exceeds one. */
export function createFault(
  reason: string,
  description: string,
  size?: number,
  limit?: number,
): Fault {
  const metadata = limit === undefined ? {} : { size: String(size), limit: String(limit) };
  return { path: "", toError: (path) => invalidField(path, reason, description, metadata) };
}

/** Joins the path of a value and a path below it. */
export function joinPath(path: string, rest: string): string {
  if (path === "" || rest === "" || rest.startsWith("[")) return path + rest;
  return `${path}.${rest}`;
}

/** Counts the characters of a text above the limit; 0 for a text within it. */
export function countOver(text: string, limit: number): number {
  // A character is one or two UTF-16 units.
  if (text.length <= limit) return 0;
  let size = 0;
  for (const _ of text) size += 1;
  return size > limit ? size : 0;
}
