import { Code, DomainError, type Reason } from "./errors.ts";
import { clip, suggestNames } from "./text.ts";

/** Creates an INVALID_ARGUMENT error for one field; the message begins with the field. */
export function invalidField(
  field: string,
  reason: Reason,
  description: string,
  metadata: Readonly<Record<string, string>> = {},
): DomainError {
  return new DomainError(Code.INVALID_ARGUMENT, reason, `${field}: ${description}`, {
    fields: [{ field, description }],
    metadata: { ...metadata, field },
  });
}

/** Creates the INVALID_ARGUMENT `ONEOF_CONFLICT` of a value that is in two fields, of which one may be set. */
export function sentAsBoth(first: string, second: string): DomainError {
  const description = `sent as both ${first} and ${second}; send one of them`;
  return invalidField(second, "ONEOF_CONFLICT", description);
}

/** Checks a rule of one field: throws {@link invalidField} if it is violated. */
export function checkField(
  holds: boolean,
  field: string,
  reason: Reason,
  description: string,
): asserts holds {
  if (!holds) throw invalidField(field, reason, description);
}

/** Checks that a name is among the known ones; the description of the error lists them and suggests the nearest. */
export function checkOneOf<Name extends string>(
  name: string,
  known: readonly Name[],
  field: string,
  reason: Reason,
): asserts name is Name {
  if (known.some((it) => it === name)) return;
  const description = `'${clip(name)}' is not one of ${known.join(", ")}${suggestNames(name, known)}`;
  throw invalidField(field, reason, description);
}

/** Checks that a number is not negative. INVALID_ARGUMENT `VALUE_OUT_OF_RANGE`. */
export function checkNotNegative(value: number, field: string): void {
  checkField(value >= 0, field, "VALUE_OUT_OF_RANGE", "must not be negative");
}

/** Creates the INVALID_ARGUMENT error of a field above a limit, with its size and the limit. */
export function aboveLimit(
  field: string,
  reason: Reason,
  description: string,
  size: number,
  limit: number,
): DomainError {
  return invalidField(field, reason, description, { size: String(size), limit: String(limit) });
}

/** Checks that a text has at most `limit` characters. INVALID_ARGUMENT `FIELD_TOO_LONG`. */
export function checkLength(text: string, limit: number, field: string, unit = "characters"): void {
  // A character is one or two UTF-16 units.
  if (text.length <= limit) return;
  let size = 0;
  for (const _ of text) size += 1;
  if (size <= limit) return;
  const description = `must have at most ${limit} ${unit}, not ${size}`;
  throw aboveLimit(field, "FIELD_TOO_LONG", description, size, limit);
}

/** Runs a function that reads the field at `path` and attributes its {@link DomainError} to that field. */
export function blameField<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof DomainError ? withField(path, error) : error;
  }
}

/** Returns a copy of an error whose texts name other paths of fields. */
export function renameFields(error: DomainError, rename: (text: string) => string): DomainError {
  const { code, reason, retryAfter, cause, metadata } = error;
  return new DomainError(code, reason, rename(error.message), {
    fields: error.fields.map((it) => ({ ...it, field: rename(it.field) })),
    metadata: { ...metadata, ...(metadata.field && { field: rename(metadata.field) }) },
    ...{ cause, ...(retryAfter !== undefined && { retryAfter }) },
  });
}

/** Returns a copy of an error that names the field at `path` in its message, fields and metadata. */
export function withField(path: string, { code, reason, message, metadata }: DomainError) {
  return new DomainError(code, reason, `${path}: ${message}`, {
    fields: [{ field: path, description: message }],
    metadata: { ...metadata, field: path },
  });
}
