import type { ImportProgress } from "../transfer/import/prepare-lines.ts";

/** How often progress is shown: on a terminal, and as lines in a log; in milliseconds. */
const TERMINAL_INTERVAL = 200;
const LOG_INTERVAL = 5_000;

const BAR = 24;
const CLEAR_LINE = "\r\x1b[K";

/** Where progress is shown. */
export interface ProgressOutput {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/** Shows how far an import is. */
export interface Progress {
  /** Takes how far reading is; shows it now and then. */
  update(progress: ImportProgress): void;
  /** Says that everything is read: what is left is one long step, the indexes and the commit. */
  read(items: number): void;
  /** Says which long step has begun. */
  tell(step: string): void;
  /** Leaves a clean line behind. */
  end(): void;
}

/**
 * Creates a progress display: a bar with count, rate and remaining time on a terminal, a line now and
 * then elsewhere. `size` is that of the whole in bytes, undefined where nobody knows; `now` is in
 * milliseconds; `unit` stands behind a count of items.
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
