import type { EngineName } from "../../test/harness/engine.ts";

/** What a fault reports to, and how long it may take. */
export interface FaultRun {
  /** True for few repetitions, to try a fault out. */
  readonly isQuick: boolean;
  /** Adds a figure to the table. */
  report(figure: string, value: string | number): void;
  /** Adds a figure that a condition bounds; a broken one fails the run. */
  check(figure: string, value: string | number, isKept: boolean): void;
}

/** A fault that is brought about against real processes, and what must hold then. */
export interface Fault {
  /** The fault in a few words. */
  readonly title: string;
  /** The engines that it concerns. */
  readonly engines: readonly EngineName[];
  run(run: FaultRun): Promise<void>;
}
