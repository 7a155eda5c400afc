/** The upper bounds of the buckets of durations, in seconds; the last bucket has none. */
export const DURATION_BOUNDS: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

const BOUNDS_MS = DURATION_BOUNDS.map((seconds) => seconds * 1_000);

/** Counts durations by bucket, in plain numbers: some are counted for each cached response. */
export class Durations {
  /** The number of durations in each bucket, without the buckets below. */
  readonly counts = new Float64Array(DURATION_BOUNDS.length + 1);
  #totalMs = 0;

  /** The sum of all durations, in seconds. */
  get total(): number {
    return this.#totalMs / 1_000;
  }

  /** Counts a duration in milliseconds. */
  add(ms: number): void {
    let bucket = 0;
    while (ms > (BOUNDS_MS[bucket] ?? Number.POSITIVE_INFINITY)) bucket += 1;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.#totalMs += ms;
  }
}
