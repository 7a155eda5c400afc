/** The rows of a page, and its last row if more follow. */
export interface CutPage<Row> {
  readonly shown: readonly Row[];
  readonly last: Row | undefined;
}

/** Cuts a page from rows that were read for a limit of one more. */
export function cutPage<Row>(rows: readonly Row[], limit: number): CutPage<Row> {
  const shown = rows.slice(0, limit);
  return { shown, last: rows.length > limit ? shown.at(-1) : undefined };
}
