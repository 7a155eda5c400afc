import { expect } from "vitest";
import { Code, DomainError } from "../../src/domain/errors.ts";

/**
 * Matches a DomainError with a reason and the field that it names, if any: INVALID_ARGUMENT unless
 * `more` has another code.
 */
export function refusal(reason: string, field?: string, more: object = {}) {
  return expect.objectContaining({
    ...{ code: Code.INVALID_ARGUMENT, reason },
    ...(field !== undefined && { metadata: { field } }),
    ...more,
  });
}

/** Returns the DomainError that a function throws; undefined where it throws nothing. */
export function faultOf(run: () => unknown): DomainError | undefined {
  try {
    run();
  } catch (fault) {
    if (fault instanceof DomainError) return fault;
    throw fault;
  }
  return undefined;
}
