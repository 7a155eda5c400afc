import { Code, DomainError } from "../base/errors.ts";

/** The error of a record, which names its line. */
export class LineError extends DomainError {
  readonly line: number;
  /** The error without the line. */
  readonly original: DomainError;

  constructor(line: number, original: DomainError) {
    const { code, reason, message, fields, metadata, cause } = original;
    super(code, reason, `line ${line}: ${message}`, {
      fields,
      metadata: { ...metadata, line: String(line) },
      cause,
    });
    this.line = line;
    this.original = original;
  }
}

/** The codes of errors that no line causes: the database is unavailable, or the caller no longer waits. */
const CAUSED_BY_NO_LINE: readonly Code[] = [Code.UNAVAILABLE, Code.CANCELLED];

/** Returns an error that names the line of its file. Line 0, without a file, leaves it unchanged. */
export function blameLine(line: number, error: unknown): unknown {
  if (!(error instanceof DomainError) || line === 0 || error instanceof LineError) return error;
  return CAUSED_BY_NO_LINE.includes(error.code) ? error : new LineError(line, error);
}

/** Runs a function and attributes its {@link DomainError} to a line of the file. */
export async function atLine<T>(line: number, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw blameLine(line, error);
  }
}
