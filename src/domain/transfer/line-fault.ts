import { DomainError } from "../errors.ts";

/** Makes a failure name the line of the file that caused it; without a file, line 0, it stays as it is. */
export function blameLine(line: number, fault: unknown): unknown {
  if (!(fault instanceof DomainError) || line === 0) return fault;
  const { code, reason, message, fields, metadata, cause } = fault;
  return new DomainError(code, reason, `line ${line}: ${message}`, {
    fields,
    metadata: { ...metadata, line: String(line) },
    cause,
  });
}

/** Runs steps and makes a failure of them name the line of the file. */
export async function atLine<T>(line: number, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (fault) {
    throw blameLine(line, fault);
  }
}
