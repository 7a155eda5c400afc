import { afterAll, beforeAll } from "vitest";
import { WORK_LIMITS } from "../../src/domain/base/work-budget.ts";

/**
 * Lets the lists of the tests of this file end by their size alone: on a busy machine, the time of one of two responses
 * that are compared may end it early.
 */
export function useUnlimitedTime(): void {
  const { request, page } = WORK_LIMITS;
  beforeAll(() => {
    Object.assign(WORK_LIMITS, { request: 60_000, page: 60_000 });
  });
  afterAll(() => {
    Object.assign(WORK_LIMITS, { request, page });
  });
}
