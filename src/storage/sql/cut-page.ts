/** The rows of a page, and the last of them if more follow. */
export interface CutPage<Row> {
  readonly shown: readonly Row[];
  readonly last: Row | undefined;
}

/** Cuts a page out of rows of which one more than its limit was asked for. */
export function cutPage<Row>(rows: readonly Row[], limit: number): CutPage<Row> {
  const shown = rows.slice(0, limit);
  return { shown, last: rows.length > limit ? shown.at(-1) : undefined };
}
