/**
 * The requests that all processes counted, by key. They are not content: adding changes no revision. A crash of the
 * machine may lose them.
 */
export interface RateCountStore {
  /**
   * Adds counts to the stored counts of a minute, numbered since 1970, and returns the totals of their keys. Deletes
   * counts of earlier minutes, at most {@link SWEPT} or twice as many as it adds. Keys contain no NUL.
   */
  add(minute: number, counts: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>>;
}
