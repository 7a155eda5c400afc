import { WORK_LIMITS } from "./work-budget.ts";

/** The rows of a page, and its last row if more follow. */
export interface CutPage<Row> {
  readonly shown: readonly Row[];
  readonly last: Row | undefined;
}

/**
 * Cuts a page from rows that were read for one more than the limit. The page ends before the row that would exceed
 * the maximum size of a response's lists, but has at least one row.
 */
export function cutPage<Row>(
  rows: readonly Row[],
  limit: number,
  sizeOf: (row: Row) => number,
): CutPage<Row> {
  let bytes = 0;
  const end = rows.findIndex((row, index) => {
    bytes += sizeOf(row);
    return index === limit || (index > 0 && bytes > WORK_LIMITS.bytes);
  });
  if (end === -1) return { shown: rows, last: undefined };
  return { shown: rows.slice(0, end), last: rows[end - 1] };
}

/** Returns the size of a row: the size of its document, in bytes. */
export function sizeOfDocument({ doc }: { readonly doc: Uint8Array }): number {
  return doc.length;
}
