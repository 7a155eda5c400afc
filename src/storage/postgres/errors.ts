import { DatabaseError } from "pg";
import {
  Code,
  DatabaseSetupError,
  DomainError,
  databaseUnavailable,
  referenceBroken,
  valueUsed,
} from "../../domain/base/errors.ts";

/** The SQLSTATEs of a transaction that conflicts with others and may succeed when it runs again. */
const CONFLICTS = ["40001", "40P01"];

/**
 * The SQLSTATEs of a server that cannot serve now:
 * - no connection, or too few resources,
 * - a statement, a lock or a transaction that took too long,
 * - a standby, or a server that shuts down, starts or recovers.
 */
const UNAVAILABLE = /^(?:08|53|57P0|57014|55P03|25006|25P0[34]|58030)/;

/** The SQLSTATEs of damaged tables and indexes: only a repair or a restored backup helps. */
const DAMAGED = ["XX001", "XX002"];

/** The messages of pg's own errors, which have no code. */
const LOST =
  /^(?:Connection terminated|Query read timeout|timeout exceeded|Client has encountered a connection error|Client was closed|timeout expired|Cannot use a pool after|The server does not support SSL)/;

/** The remedies for a wrong setup, by {@link describe}. */
const REMEDIES: readonly (readonly [error: RegExp, remedy: string])[] = [
  [
    /^42P05|^08P01 unsupported startup parameter/,
    "a pooler gives transactions other connections: add prepare=false to the database's connection string",
  ],
  [
    /^42501 (?:aclcheck_error|nextval)/,
    "run as the owner of the tables: grant select, insert, update, delete on all tables in schema public to USER; grant usage on all sequences in schema public to USER; grant usage on schema public to USER",
  ],
];

/** The remedies for rejected connections, by the same. */
const REJECTIONS: typeof REMEDIES = [
  [
    /^(?:ERR_TLS_CERT|CERT_|DEPTH_ZERO|HOSTNAME_MISMATCH|SELF_SIGNED|UNABLE_TO_)/,
    "the server's certificate must be valid for the host of the connection string, and signed by a public authority or by the one in sslrootcert=FILE",
  ],
  [
    /^The server does not support SSL/,
    "turn on TLS in the server (ssl = on), or connect with sslmode=disable",
  ],
  [
    /^28000 ClientAuthentication/,
    "if the server requires TLS, add sslmode=verify-full to the database's connection string; otherwise allow the user and the host in its pg_hba.conf",
  ],
  [
    /^28[0P]|^SASL: /,
    "check the user and the password of the database's connection string, where special characters must be percent-encoded",
  ],
  [/^3D000/, "create the database first"],
];

/**
 * Translates the errors of PostgreSQL and its connections into the errors of the store's contract; a
 * `DatabaseSetupError` for an error that only the operator can fix.
 */
export function translateError(cause: unknown): unknown {
  if (!(cause instanceof Error) || cause instanceof DomainError) return cause;
  const text = describe(cause);
  const findRemedy = (remedies: typeof REMEDIES) =>
    remedies.find(([error]) => error.test(text))?.[1];
  const remedy = findRemedy(REMEDIES);
  if (remedy !== undefined) return new DatabaseSetupError(`${cause.message}; ${remedy}`, { cause });
  const rejection = findRemedy(REJECTIONS);
  // Also while Marquee runs: the password may change.
  if (rejection !== undefined)
    return databaseUnavailable(new Error(`${cause.message}; ${rejection}`));
  if (isConnectionError(cause)) return databaseUnavailable(cause);
  if (!(cause instanceof DatabaseError)) return cause;
  const { code = "" } = cause;
  if (code === "23505") return valueUsed(cause);
  if (code === "23503") return referenceBroken(cause);
  if (/^54000 (?:index_form_tuple|_bt_check_third_page)/.test(text)) {
    return new DomainError(
      Code.INVALID_ARGUMENT,
      "ID_TOO_LONG",
      "the id is too long: it must take at most 2,600 bytes in UTF-8, together with other ids or a value of an index",
      { cause },
    );
  }
  if (DAMAGED.includes(code)) return databaseUnavailable(cause, { isPermanent: true });
  const failure = findWriteFailure(cause);
  if (failure !== undefined) return databaseUnavailable(new Error(failure, { cause }));
  const isTransient = CONFLICTS.includes(code) || UNAVAILABLE.test(code) || isStale(cause);
  return isTransient ? databaseUnavailable(cause) : cause;
}

/** The causes why a database cannot be written, by {@link describe}. */
const WRITE_FAILURES: readonly (readonly [error: RegExp, cause: string])[] = [
  // The second is a transaction that begins to write on a standby.
  [/^25006|^0A000 call_bool_check_hook/, "the server is read-only, for example a standby"],
  [/^53100/, "the server's disk is full"],
  [/^53300/, "the server accepts no more connections"],
  [/^XX001/, "a table is corrupt"],
  [/^XX002/, "an index is corrupt"],
];

/**
 * Describes an error by its code and the function that reports it, because messages are in the language of the server. The errors
 * of poolers and of pg have no function, and are described by their message.
 */
function describe(
  error: Error & { readonly code?: unknown; readonly routine?: string | undefined },
): string {
  const { code, routine = error.message } = error;
  return code === undefined ? routine : `${code} ${routine}`;
}

/** Says why an error, or its cause, means that the database cannot be written; undefined for others. */
export function findWriteFailure(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (!(error instanceof DatabaseError)) return findWriteFailure(error.cause);
  const text = describe(error);
  return WRITE_FAILURES.find(([failure]) => failure.test(text))?.[1];
}

/** Reports whether an error of {@link translateError} means that the transaction may succeed if it runs again. */
export function isConflict(error: unknown): boolean {
  const cause = error instanceof DomainError ? error.cause : error;
  return cause instanceof DatabaseError && (CONFLICTS.includes(cause.code ?? "") || isStale(cause));
}

/**
 * Reports whether an error means that the prepared statements of a connection are useless: a migration of another
 * process has changed a table, or they no longer exist.
 */
export function isStale(error: unknown): boolean {
  const cause = error instanceof DomainError ? error.cause : error;
  if (!(cause instanceof DatabaseError)) return false;
  return /^26000|^0A000 RevalidateCachedQuery/.test(describe(cause));
}

/** Reports whether an error of {@link translateError} means that all connections of a pool were in use for too long. */
export function isPoolBusy(error: unknown): boolean {
  const cause = error instanceof DomainError ? error.cause : error;
  return cause instanceof Error && cause.message === "timeout exceeded when trying to connect";
}

/** Reports whether an error means that its connection can no longer be used. */
export function isConnectionError(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  if (cause instanceof DatabaseError) {
    return /^(?:08|57P0)/.test(cause.code ?? "") || isStale(cause);
  }
  return "syscall" in cause || LOST.test(cause.message);
}
