import type { EngineName } from "../../test/harness/engine.ts";

/** The report of a fault, and the time that it may take. */
export interface FaultRun {
  /** True for few repetitions, to try a fault out. */
  readonly isQuick: boolean;
  /** Adds a figure to the table. */
  report(figure: string, value: string | number): void;
  /** Adds a figure that a condition bounds; a broken one fails the run. */
  check(figure: string, value: string | number, isKept: boolean): void;
}

/** A fault that is injected into real processes, with the conditions that must hold. */
export interface Fault {
  /** The fault in a few words. */
  readonly title: string;
  /** The engines that it concerns. */
  readonly engines: readonly EngineName[];
  run(run: FaultRun): Promise<void>;
}
