import { Code, DomainError } from "../../../src/domain/errors.ts";

/** Gives reason and message of the INVALID_ARGUMENT that a text is refused with. */
export function faultOf(read: () => unknown): readonly [reason: string, message: string] {
  try {
    const got = read();
    throw new Error(
      `it was read as ${JSON.stringify(got, (_, it) => (typeof it === "bigint" ? String(it) : it))}`,
    );
  } catch (fault) {
    if (!(fault instanceof DomainError) || fault.code !== Code.INVALID_ARGUMENT) throw fault;
    return [fault.reason, fault.message];
  }
}
