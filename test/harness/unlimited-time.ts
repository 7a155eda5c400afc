import { afterAll, beforeAll } from "vitest";
import { WORK_LIMITS } from "../../src/domain/base/work-budget.ts";

const LIMITS = { ...WORK_LIMITS };

/**
 * Lets the lists of the tests of this file end by their size alone: on a busy machine, the time of a response may end them
 * earlier than the test expects.
 */
export function useUnlimitedTime(): void {
  beforeAll(() => {
    Object.assign(WORK_LIMITS, { request: 60_000, page: 60_000 });
  });
  afterAll(() => {
    Object.assign(WORK_LIMITS, LIMITS);
  });
}

/** Limits the time of lists, as for callers. Call it after the service of the tests was started. */
export function useLimitedTime(): void {
  beforeAll(() => {
    Object.assign(WORK_LIMITS, LIMITS);
  });
}
