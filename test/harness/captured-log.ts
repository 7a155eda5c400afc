import { type Logger, pino } from "pino";

/** A logger and the lines that it wrote, parsed. */
export interface CapturedLog {
  readonly log: Logger;
  readonly lines: Record<string, unknown>[];
}

/** Creates a logger that keeps its lines in memory. */
export function captureLog(level = "info"): CapturedLog {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level }, { write: (line) => void lines.push(JSON.parse(line)) });
  return { log, lines };
}
