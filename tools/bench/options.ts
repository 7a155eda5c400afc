import { readArguments, rejectArguments } from "../arguments.ts";

/** How long and how often a run measures. */
export interface Plan {
  /** Turns of each load; the median counts. */
  readonly rounds: number;
  /** Length of a turn. */
  readonly seconds: number;
  /** Starts of the server; the median counts. */
  readonly starts: number;
  /** Requests of one measurement of latency. */
  readonly requests: number;
  /** Events that are imported and searched. */
  readonly events: number;
  /** Stored events; cold lists show the newest. */
  readonly storedEvents: number;
  /** Wait before memory is read, in seconds. */
  readonly rest: number;
  /** Length of the mixed reads before memory is read, in minutes; 0: each work once. */
  readonly minutes: number;
}

/** The options of a run of the benchmarks. */
export interface Options {
  readonly plan: Plan;
  /** The sections to run; empty: all. */
  readonly sections: readonly string[];
  /** Folder for a CPU profile of each server. */
  readonly profile: string | undefined;
  readonly isQuick: boolean;
}

const FULL: Plan = {
  ...{ rounds: 5, seconds: 3, starts: 9, requests: 300 },
  ...{ events: 1_000_000, storedEvents: 100_000, rest: 10, minutes: 0 },
};

const QUICK: Plan = {
  ...{ rounds: 3, seconds: 1, starts: 3, requests: 50 },
  ...{ events: 20_000, storedEvents: 10_000, rest: 2, minutes: 0 },
};

/** Reads `[SECTION…] [EVENTS] [--quick] [--minutes N] [--profile DIR]`. Wrong ones end the process. */
export function readOptions(args: readonly string[]): Options {
  const { values, positionals } = readArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      minutes: { type: "string", default: "0" },
      profile: { type: "string" },
    },
  });
  const isCount = (text: string) => /^\d+$/.test(text);
  const plan = values.quick ? QUICK : FULL;
  const events = Number(positionals.findLast(isCount) ?? plan.events);
  const minutes = Number(values.minutes);
  if (events < 1_000) rejectArguments(`at least 1000 events are needed, not ${events}`);
  if (!(minutes >= 0)) rejectArguments(`--minutes takes a number, not '${values.minutes}'`);
  return {
    plan: { ...plan, events, minutes },
    sections: positionals.filter((it) => !isCount(it)),
    profile: values.profile,
    isQuick: values.quick,
  };
}
