import { DomainError } from "../errors.ts";

/** Returns an error that names the line of its file; line 0, without a file, leaves it unchanged. */
export function blameLine(line: number, fault: unknown): unknown {
  if (!(fault instanceof DomainError) || line === 0) return fault;
  const { code, reason, message, fields, metadata, cause } = fault;
  return new DomainError(code, reason, `line ${line}: ${message}`, {
    fields,
    metadata: { ...metadata, line: String(line) },
    cause,
  });
}

/** Runs a function and attributes its {@link DomainError} to a line of the file. */
export async function atLine<T>(line: number, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (fault) {
    throw blameLine(line, fault);
  }
}
