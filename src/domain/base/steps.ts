/** Work that may be interrupted between two of its steps. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs all steps one after the other. */
export function runAll<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
