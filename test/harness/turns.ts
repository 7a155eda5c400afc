import { expect } from "vitest";
import { readCpu } from "./cpu-time.ts";

/** How long this process was busy while something ran, in milliseconds of its own CPU time. */
export interface Turns {
  /** In all turns of the event loop that did some work. */
  readonly busy: number;
  /** In the longest turn: what another request would have waited. */
  readonly longest: number;
}

/** How often the machine's measure is taken. */
const MEASURED_RUNS = 25;

/** The pause between two looks, in milliseconds: without one, the watch would take the CPU that a database needs. */
const PAUSE_MS = 1;

/** A turn that did nothing but be watched takes less. */
const IDLE_MS = 0.2;

/**
 * Runs something and watches the turns of the event loop meanwhile. It counts CPU time of this thread, so
 * that other processes of the machine do not show. `onTurn` is called after each turn, and its time does not count.
 */
export async function watchTurns(
  run: () => Promise<unknown>,
  onTurn: () => void = () => {},
): Promise<Turns> {
  let busy = 0;
  let longest = 0;
  let last = readCpu();
  let isRunning = true;
  const watch = () => {
    const turn = readCpu() - last;
    if (turn > IDLE_MS) busy += turn;
    longest = Math.max(longest, turn);
    onTurn();
    last = readCpu();
    if (isRunning) setTimeout(watch, PAUSE_MS);
  };
  setTimeout(watch, PAUSE_MS);
  try {
    await run();
  } finally {
    isRunning = false;
  }
  return { busy, longest };
}

/**
 * Returns the CPU time, in milliseconds, that a fixed piece of work takes here: to read and write 600 kB of
 * JSON. A result that is a multiple of it is valid on a fast machine and on a slow one.
 */
export function measureMachine(): number {
  const rows = Array.from({ length: 20_000 }, (_, at) => ({ id: `item-${at}`, at }));
  const text = JSON.stringify(rows);
  // Some kernels count CPU time in steps of 4 ms, so that a single run may take none.
  const start = readCpu();
  for (let run = 0; run < MEASURED_RUNS; run += 1) JSON.stringify(JSON.parse(text));
  return (readCpu() - start) / MEASURED_RUNS;
}

/** The machine's measure, taken once: see {@link measureMachine}. */
export const MACHINE = measureMachine();

/**
 * Expects that something took less time than a limit in milliseconds, which is in proportion to {@link MACHINE}. If it took
 * longer, the machine is measured again, because others may have made it slower. `what` names what took the time.
 */
export function expectWithin(time: number, limit: number, what = ""): void {
  const slowdown = time < limit ? 1 : Math.max(1, measureMachine() / MACHINE);
  expect(time, what).toBeLessThan(limit * slowdown);
}

/** The longest that one request may keep others waiting: CPU time, about 100 ms on a machine of 2025. */
export const LONGEST_TURN = 30 * MACHINE;
