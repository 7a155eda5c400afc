import { invalidField } from "../errors.ts";

/** How many records a page holds: when the caller does not say, and at most. */
export interface PageSizeLimits {
  readonly standard: number;
  readonly maximum: number;
}

/** The pages of the delivery interface. */
export const DELIVERY_PAGE_SIZE: PageSizeLimits = { standard: 20, maximum: 100 };

/** The pages of the management interface. */
export const MANAGEMENT_PAGE_SIZE: PageSizeLimits = { standard: 50, maximum: 1_000 };

/**
 * Decides the size of a page: 0 is the standard, over the maximum is the maximum. INVALID_ARGUMENT
 * `PAGE_SIZE_INVALID` if it is negative, at the field that asks for it.
 */
export function resolvePageSize(
  asked: number,
  limits: PageSizeLimits,
  field: string = "page_size",
): number {
  if (asked < 0) throw invalidField(field, "PAGE_SIZE_INVALID", "it must not be negative");
  return asked === 0 ? limits.standard : Math.min(asked, limits.maximum);
}
