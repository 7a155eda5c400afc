import { Code } from "../../gen/google/rpc/code_pb.ts";
import type { Reason } from "../../gen/reasons.ts";
import { clipBytes } from "./text.ts";

export { Code, type Reason };

/**
 * Maximum sizes of the parts of an error, in bytes of UTF-8 unless stated otherwise; longer texts are cut
 * between characters. gRPC sends errors in trailers, of which clients read 64 KiB or less.
 */
export const ERROR_LIMITS = {
  message: 2_048,
  /** Number of field violations. */
  fields: 8,
  /** The path of one violated field. */
  field: 256,
  description: 1_536,
  /** One value of the metadata: fits the 100 ids of a batch. */
  metadata: 6_656,
} as const;

/** Describes a violation in one field of a request: `field` is its proto path, `description` is English. */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

/** Optional details of a {@link DomainError}. */
export interface DomainErrorExtras {
  /** Field violations; sent as `google.rpc.BadRequest`. */
  readonly fields?: readonly FieldViolation[];
  /** Every variable part of the message, by name; sent in `google.rpc.ErrorInfo`. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Seconds until a retry; sent in the header `Retry-After`. */
  readonly retryAfter?: number;
  /** The underlying failure; logged, never sent to a caller. */
  readonly cause?: unknown;
}

/**
 * The only error type that callers see: an RPC code, a stable `UPPER_SNAKE` reason and a message for
 * developers that holds no SQL, path, stack or secret. Its texts are cut to {@link ERROR_LIMITS}.
 */
export class DomainError extends Error {
  override readonly name = "DomainError";
  readonly code: Code;
  readonly reason: Reason;
  readonly fields: readonly FieldViolation[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly retryAfter: number | undefined;

  constructor(code: Code, reason: Reason, message: string, extras: DomainErrorExtras = {}) {
    super(clipBytes(message, ERROR_LIMITS.message), { cause: extras.cause });
    this.code = code;
    this.reason = reason;
    this.retryAfter = extras.retryAfter;
    this.fields = (extras.fields ?? []).slice(0, ERROR_LIMITS.fields).map((it) => ({
      field: clipBytes(it.field, ERROR_LIMITS.field),
      description: clipBytes(it.description, ERROR_LIMITS.description),
    }));
    this.metadata = Object.fromEntries(
      Object.entries(extras.metadata ?? {}).map(([name, value]) => [
        name,
        clipBytes(value, ERROR_LIMITS.metadata),
      ]),
    );
  }
}

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

/** Checks a rule of one field: throws {@link invalidField} unless it holds. */
export function checkField(
  holds: boolean,
  field: string,
  reason: Reason,
  description: string,
): asserts holds {
  if (!holds) throw invalidField(field, reason, description);
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

/** Creates the NOT_FOUND error, used also for resources whose existence is hidden from the caller. */
export function notFound(resource: string): DomainError {
  return new DomainError(Code.NOT_FOUND, "RESOURCE_NOT_FOUND", `${resource} does not exist`, {
    metadata: { resource },
  });
}

/** Creates the ALREADY_EXISTS error for an id that is taken. */
export function alreadyExists(type: string, id: string, cause?: unknown): DomainError {
  return new DomainError(Code.ALREADY_EXISTS, "ALREADY_EXISTS", `${type} ${id} already exists`, {
    metadata: { resource: `${type}/${id}` },
    cause,
  });
}

/** A database that is set up wrongly. The message says how to mend it and is for the operator: callers get INTERNAL. */
export class DatabaseSetupError extends Error {}

/** The time after which a caller may find the database available again, in seconds. */
const DATABASE_RETRY_AFTER = 1;

/** Creates the error of a database that cannot be read or written now. */
export function databaseUnavailable(cause: unknown): DomainError {
  return new DomainError(Code.UNAVAILABLE, "DATABASE_UNAVAILABLE", "database unavailable", {
    retryAfter: DATABASE_RETRY_AFTER,
    cause,
  });
}

/** Runs a function that reads the field at `path` and attributes its {@link DomainError} to that field. */
export function blameField<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (fault) {
    throw fault instanceof DomainError ? withField(path, fault) : fault;
  }
}

/** Returns a copy of an error that names the field at `path` in its message, fields and metadata. */
export function withField(path: string, { code, reason, message, metadata }: DomainError) {
  return new DomainError(code, reason, `${path}: ${message}`, {
    fields: [{ field: path, description: message }],
    metadata: { ...metadata, field: path },
  });
}
