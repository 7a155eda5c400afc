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

/** Shows the progress of an import. */
export interface Progress {
  /** Shows the progress of reading, at intervals. */
  update(progress: ImportProgress): void;
  /** Reports that reading has ended; one long step remains, the indexes and the commit. */
  read(items: number): void;
  /** Reports the start of a long step. */
  tell(step: string): void;
  /** Clears the line. */
  end(): void;
}

/**
 * Creates a progress display: on a terminal a bar with count, rate and remaining time, elsewhere a line at
 * intervals. `size` is the total in bytes, undefined if unknown; `now` is in milliseconds; `unit` follows a
 * count of items.
 */
export function createProgress(
  output: ProgressOutput,
  size: number | undefined,
  now: () => number = () => performance.now(),
  unit: string = "",
): Progress {
  const start = now();
  let shown = output.isTTY ? 0 : start;
  let isOpen = false;
  const show = (text: string) => {
    output.write(output.isTTY ? `${CLEAR_LINE}${text}` : `${text}\n`);
    isOpen = output.isTTY === true;
  };
  return {
    update(progress) {
      const time = now();
      if (time - shown < (output.isTTY ? TERMINAL_INTERVAL : LOG_INTERVAL)) return;
      shown = time;
      show(describe(progress, time - start, size, unit, output.isTTY === true));
    },
    read: (items) => show(`${items} read, writing the indexes`),
    tell: show,
    end() {
      if (isOpen) output.write(CLEAR_LINE);
      isOpen = false;
    },
  };
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
