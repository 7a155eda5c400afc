/**
 * The requests that all processes counted, by key. They are not content: adding moves no revision. A crash of
 * the machine may lose them.
 */
export interface RateCountStore {
  /**
   * Adds counts to those of a minute, numbered since 1970, and returns the totals of their keys. Deletes the
   * counts of earlier minutes. Keys contain no NUL.
   */
  add(minute: number, counts: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>>;
}
