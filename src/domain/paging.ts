import { invalidField } from "./errors.ts";

/** How many records a page holds: when the caller does not say, and at most. */
export interface PageSizeLimits {
  readonly standard: number;
  readonly maximum: number;
}

/**
 * Decides the size of a page: 0 is the standard, over the maximum is the maximum. INVALID_ARGUMENT
 * `PAGE_SIZE_INVALID` if it is negative.
 */
export function resolvePageSize(asked: number, limits: PageSizeLimits): number {
  if (asked < 0) throw invalidField("page_size", "PAGE_SIZE_INVALID", "it must not be negative");
  return asked === 0 ? limits.standard : Math.min(asked, limits.maximum);
}
