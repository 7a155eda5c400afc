import { Code } from "../../gen/google/rpc/code_pb.ts";
import { clipBytes } from "./messages/clip.ts";

export { Code };

/**
 * How much an error may hold, in bytes of UTF-8 where nothing else is said; texts are cut between
 * characters. Over gRPC an error travels in trailers, of which clients read 64 KiB and less.
 */
export const ERROR_LIMITS = {
  message: 2_048,
  /** Faults by field. */
  fields: 8,
  /** The path of one such field. */
  field: 256,
  description: 1_536,
  /** One value of the metadata: room for the 100 ids of a batch. */
  metadata: 6_656,
} as const;

/** Names a fault in one field of a request: `field` is its proto path, `description` is English. */
export interface FieldViolation {
  readonly field: string;
  readonly description: string;
}

/** Carries what a {@link DomainError} says beyond its code, reason and message. */
export interface DomainErrorExtras {
  /** Faults by field; answered as `google.rpc.BadRequest`. */
  readonly fields?: readonly FieldViolation[];
  /** Every changing part of the message, by name; answered in `google.rpc.ErrorInfo`. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** After how many seconds to try again; answered in the header `Retry-After`. */
  readonly retryAfter?: number;
  /** What caused it. It goes to the log and never to a caller. */
  readonly cause?: unknown;
}

/**
 * The one failure of the product: an RPC code, a stable `UPPER_SNAKE` reason and a message for
 * developers that holds no SQL, path, stack or secret. Its texts are cut to {@link ERROR_LIMITS}. It is
 * translated once, in `interceptors/errors.ts`.
 */
export class DomainError extends Error {
  override readonly name = "DomainError";
  readonly code: Code;
  readonly reason: string;
  readonly fields: readonly FieldViolation[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly retryAfter: number | undefined;

  constructor(code: Code, reason: string, message: string, extras: DomainErrorExtras = {}) {
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

/** Creates an INVALID_ARGUMENT for one field; the message names the field. */
export function invalidField(
  field: string,
  reason: string,
  description: string,
  metadata: Readonly<Record<string, string>> = {},
): DomainError {
  return new DomainError(Code.INVALID_ARGUMENT, reason, `${field}: ${description}`, {
    fields: [{ field, description }],
    metadata: { ...metadata, field },
  });
}

/** Creates the NOT_FOUND that also stands for what the caller may not know of. */
export function notFound(resource: string): DomainError {
  return new DomainError(Code.NOT_FOUND, "RESOURCE_NOT_FOUND", `${resource} does not exist`, {
    metadata: { resource },
  });
}

/** Creates the ALREADY_EXISTS for an id that is taken. */
export function alreadyExists(type: string, id: string, cause?: unknown): DomainError {
  return new DomainError(Code.ALREADY_EXISTS, "ALREADY_EXISTS", `${type} ${id} exists already`, {
    metadata: { resource: `${type}/${id}` },
    cause,
  });
}

/**
 * Runs what reads the field at `path` and makes a failure of it name the field: in its message, its
 * fields and its metadata.
 */
export function blameField<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (fault) {
    throw fault instanceof DomainError ? withField(path, fault) : fault;
  }
}

/** Returns a failure that names the field at `path` in its message, its fields and its metadata. */
export function withField(path: string, { code, reason, message, metadata }: DomainError) {
  return new DomainError(code, reason, `${path}: ${message}`, {
    fields: [{ field: path, description: message }],
    metadata: { ...metadata, field: path },
  });
}
