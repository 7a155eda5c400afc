import type { ImportProgress } from "../transfer/import-lines.ts";

/** The intervals of the display on a terminal and of lines in a log, in milliseconds. */
const TERMINAL_INTERVAL = 200;
const LOG_INTERVAL = 5_000;

const BAR = 24;
const CLEAR_LINE = "\r\x1b[K";

/** The output of a progress display. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** The options of a progress display. */
export interface ProgressOptions {
  /** The total in bytes; absent: unknown, or said by each update. */
  readonly size?: number | undefined;
  /** Follows a count of items; default: nothing. */
  readonly unit?: string;
  /** True to show progress on a terminal only, to keep the logs of nightly jobs short; default: false. */
  readonly isForTerminals?: boolean;
  /** The time in milliseconds. */
  readonly now?: () => number;
}

/** Shows the progress of a command: on a terminal a bar with count, rate and remaining time, elsewhere a line at intervals. */
export class Progress {
  readonly #output: ProgressOutput;
  readonly #options: ProgressOptions;
  readonly #now: () => number;
  readonly #start: number;
  #shown: number;
  #isOpen = false;

  constructor(output: ProgressOutput, options: ProgressOptions = {}) {
    const { now = () => performance.now() } = options;
    this.#output = output;
    this.#options = options;
    this.#now = now;
    this.#start = now();
    this.#shown = output.isTTY ? 0 : this.#start;
  }

  /** Shows the progress of a step, at intervals; `size` is the total in bytes if only the step knows it. */
  update(progress: ImportProgress, size = this.#options.size): void {
    const hasBar = this.#output.isTTY === true;
    const time = this.#now();
    if (time - this.#shown < (hasBar ? TERMINAL_INTERVAL : LOG_INTERVAL)) return;
    this.#shown = time;
    this.report(describe(progress, time - this.#start, size, this.#options.unit ?? "", hasBar));
  }

  /** Reports the start of a long step. */
  report(step: string): void {
    const { isTTY = false } = this.#output;
    if (this.#options.isForTerminals === true && !isTTY) return;
    this.#output.write(isTTY ? `${CLEAR_LINE}${step}` : `${step}\n`);
    this.#isOpen = isTTY;
  }

  /** Clears the line. */
  end(): void {
    if (this.#isOpen) this.#output.write(CLEAR_LINE);
    this.#isOpen = false;
  }
}

/** Runs a step that shows its progress on standard error, and clears the line at its end. */
export async function withProgress<T>(
  options: ProgressOptions,
  run: (progress: Progress) => Promise<T>,
): Promise<T> {
  const progress = new Progress(process.stderr, options);
  try {
    return await run(progress);
  } finally {
    progress.end();
  }
}

function describe(
  { items, bytes }: ImportProgress,
  elapsed: number,
  size: number | undefined,
  unit: string,
  hasBar: boolean,
): string {
  const speed = Math.round((items * 1_000) / Math.max(elapsed, 1));
  const rate = `${items}${unit}, ${speed}${unit}/s`;
  if (size === undefined) return rate;
  const share = Math.min(bytes / size, 1);
  const left = Math.ceil((elapsed * (1 - share)) / Math.max(share, 1e-6) / 1_000);
  const bar = `[${"#".repeat(Math.round(share * BAR)).padEnd(BAR, ".")}] `;
  return `${hasBar ? bar : ""}${Math.floor(share * 100)} %, ${rate}, ${left} s left`;
}
