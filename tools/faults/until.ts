import { setTimeout } from "node:timers/promises";

/** Waits until a condition is true, at most `longest` milliseconds; returns how long that took, or infinity. */
export async function until(
  isTrue: () => Promise<boolean> | boolean,
  longest: number,
  pause = 20,
): Promise<number> {
  const start = performance.now();
  while (performance.now() < start + longest) {
    if (await isTrue()) return Math.round(performance.now() - start);
    await setTimeout(pause);
  }
  return Number.POSITIVE_INFINITY;
}
