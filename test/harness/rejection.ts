import { expect } from "vitest";
import { Code, DomainError } from "../../src/domain/base/errors.ts";

/**
 * Matches a DomainError with a reason and the field that it names, if any: INVALID_ARGUMENT unless
 * `more` has another code.
 */
export function rejection(reason: string, field?: string, more: object = {}) {
  return expect.objectContaining({
    ...{ code: Code.INVALID_ARGUMENT, reason },
    ...(field !== undefined && { metadata: { field } }),
    ...more,
  });
}

/** Returns the DomainError that a function throws; undefined where it throws nothing. */
export function errorOf(run: () => unknown): DomainError | undefined {
  try {
    run();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  return undefined;
}
