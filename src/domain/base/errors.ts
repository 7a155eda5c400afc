import { Code } from "../../../gen/google/rpc/code_pb.ts";
import type { Reason } from "../../../gen/reasons.ts";
import { clipBytes, clipList, withholdCredentials } from "./text.ts";

export { Code, type Reason };

/**
 * Maximum sizes of the parts of an error, in bytes of UTF-8 unless stated otherwise. Longer texts are cut between
 * characters. gRPC sends errors in trailers, and clients read 64 KiB of them or less.
 */
const ERROR_LIMITS = {
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
interface FieldViolation {
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
 * The only error type that callers see: an RPC code, a stable `UPPER_SNAKE` reason and a message for developers. The
 * message contains no SQL, path, stack or secret. Its texts quote no credentials, and are cut to {@link ERROR_LIMITS}.
 */
export class DomainError extends Error {
  override readonly name = "DomainError";
  readonly code: Code;
  readonly reason: Reason;
  readonly fields: readonly FieldViolation[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly retryAfter: number | undefined;

  constructor(code: Code, reason: Reason, message: string, extras: DomainErrorExtras = {}) {
    super(toPublicText(message, ERROR_LIMITS.message), { cause: extras.cause });
    this.code = code;
    this.reason = reason;
    this.retryAfter = extras.retryAfter;
    this.fields = (extras.fields ?? []).slice(0, ERROR_LIMITS.fields).map((it) => ({
      field: toPublicText(it.field, ERROR_LIMITS.field),
      description: toPublicText(it.description, ERROR_LIMITS.description),
    }));
    this.metadata = Object.fromEntries(
      Object.entries(extras.metadata ?? {}).map(([name, value]) => [
        name,
        toPublicText(value, ERROR_LIMITS.metadata),
      ]),
    );
  }
}

function toPublicText(text: string, bytes: number): string {
  return clipBytes(withholdCredentials(text), bytes);
}

/** Creates the NOT_FOUND error of resources that do not exist, or whose existence is hidden from the caller. */
export function notFound(type: string, ...ids: readonly string[]): DomainError {
  const message = `${type} ${clipList(ids)} does not exist`;
  return new DomainError(Code.NOT_FOUND, "RESOURCE_NOT_FOUND", message, {
    metadata: nameResource(type, ids),
  });
}

/** Creates the ALREADY_EXISTS error for an id that is taken, perhaps in another project of the organization. */
export function alreadyExists(type: string, id: string, cause?: unknown): DomainError {
  const scope = type === "organization" || type === "project" ? "" : " in the organization";
  const message = `${type} ${id} already exists${scope}`;
  return new DomainError(Code.ALREADY_EXISTS, "ALREADY_EXISTS", message, {
    metadata: nameResource(type, [id]),
    cause,
  });
}

/** Creates the ALREADY_EXISTS error of a file that has another name until it is complete. */
export function copyExists(file: string): DomainError {
  const message = `${file} exists: another process is writing it, or a killed process left it; in the latter case, delete it`;
  return new DomainError(Code.ALREADY_EXISTS, "COPY_EXISTS", message);
}

/** Reports whether a write failed because its id is taken, perhaps at the same moment. */
export function isAlreadyExists(error: unknown): error is DomainError {
  return error instanceof DomainError && error.reason === "ALREADY_EXISTS";
}

function nameResource(type: string, ids: readonly string[]): Record<string, string> {
  const joined = ids.join(",");
  return { resource: `${type}/${joined}`, resource_type: type, ids: joined };
}

/** A database that is set up wrongly. The message is for the operator and includes the remedy; callers get INTERNAL. */
export class DatabaseSetupError extends Error {}

/** The delay before a caller may find the database available again, in seconds. */
const DATABASE_RETRY_AFTER = 1;

/** Creates the error of a value that another resource has, which must be unique. */
export function valueUsed(cause: unknown): DomainError {
  const message = "the id, slug or name is already used; choose another";
  return new DomainError(Code.ALREADY_EXISTS, "ALREADY_EXISTS", message, { cause });
}

/** Creates the error of a reference to a resource that another call has deleted. */
export function referenceBroken(cause: unknown): DomainError {
  const message = "a referenced resource was deleted during the call; retry";
  return new DomainError(Code.FAILED_PRECONDITION, "REFERENCE_BROKEN", message, { cause });
}

/** Creates the error of a database that cannot be read or written now; a permanent one needs the operator, not a retry. */
export function databaseUnavailable(
  cause: unknown,
  { isPermanent = false }: { readonly isPermanent?: boolean } = {},
): DomainError {
  return new DomainError(Code.UNAVAILABLE, "DATABASE_UNAVAILABLE", "database unavailable", {
    ...(!isPermanent && { retryAfter: DATABASE_RETRY_AFTER }),
    cause,
  });
}
