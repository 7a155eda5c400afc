import { Code, DomainError } from "../../domain/errors.ts";

/** The reason of a malformed text, by format. */
export type MalformedReason = "WEBVTT_MALFORMED" | "CSV_MALFORMED";

/** Creates the INVALID_ARGUMENT with the message `line N: why` or `line N: column: why`. */
export function malformed(
  reason: MalformedReason,
  line: number,
  why: string,
  column?: string,
): DomainError {
  const what = column === undefined ? why : `${column}: ${why}`;
  return new DomainError(Code.INVALID_ARGUMENT, reason, `line ${line}: ${what}`, {
    metadata: { line: String(line), ...(column !== undefined && { column }) },
  });
}
