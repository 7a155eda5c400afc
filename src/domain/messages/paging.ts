import { invalidField } from "../errors.ts";

/** The default and maximum number of records on a page. */
export interface PageSizeLimits {
  readonly standard: number;
  readonly maximum: number;
}

/** Page sizes of the delivery interface. */
export const DELIVERY_PAGE_SIZE: PageSizeLimits = { standard: 20, maximum: 100 };

/** Page sizes of the management interface. */
export const MANAGEMENT_PAGE_SIZE: PageSizeLimits = { standard: 50, maximum: 1_000 };

/**
 * Returns the size of a page: the standard for 0, and at most the maximum. INVALID_ARGUMENT
 * `PAGE_SIZE_INVALID` at `field` for a negative size.
 */
export function resolvePageSize(
  asked: number,
  limits: PageSizeLimits,
  field: string = "page_size",
): number {
  if (asked < 0) throw invalidField(field, "PAGE_SIZE_INVALID", "must not be negative");
  return asked === 0 ? limits.standard : Math.min(asked, limits.maximum);
}
