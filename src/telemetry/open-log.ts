import { writeSync } from "node:fs";
import { type DestinationStream, type Logger, pino } from "pino";
import { LineBuffer, type Put } from "./line-buffer.ts";
import { toPrettyLine } from "./pretty-line.ts";

/** The forms of lines: `auto` is `pretty` on a terminal, and `json` elsewhere. */
export type LogFormat = "auto" | "json" | "pretty";

/** The file descriptor of standard error. */
const STDERR = 2;

/**
 * Opens the log on standard error. Its lines are written within a tenth of a second, and all of them when the
 * process exits, also by an uncaught exception.
 */
export function openLog(level: string, format: LogFormat = "json"): Logger {
  const lines = new LineBuffer({
    put: createPut(),
    onDropped: (count) => log.warn({ lines: count }, "log lines dropped, standard error is slow"),
  });
  const log = pino({ level }, isPretty(format) ? toPretty(lines) : lines);
  // Before Node writes the exception, which is the later event.
  process.on("uncaughtExceptionMonitor", () => lines.flushSync());
  process.on("exit", () => lines.flushSync());
  return log;
}

/** Reports whether lines are human-readable. */
function isPretty(format: LogFormat): boolean {
  return format === "pretty" || (format === "auto" && process.stderr.isTTY === true);
}

/**
 * Writes human-readable lines, in colors if the terminal has them and the environment does not forbid it
 * (`NO_COLOR`).
 */
function toPretty(lines: LineBuffer): DestinationStream {
  const hasColors = process.stderr.isTTY === true && process.stderr.hasColors();
  return {
    write: (line) => lines.write(toPrettyLine(line, hasColors)),
    // pino calls it.
    ...{ flush: () => lines.flush() },
  };
}

/** Creates a function that writes to standard error without waiting for its reader. */
function createPut(): Put {
  // Node makes a pipe or socket non-blocking when its stream is created, and restores it at exit. Files and
  // terminals are written synchronously.
  process.stderr.on("error", () => {});
  return (bytes) => {
    try {
      return writeSync(STDERR, bytes);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      return code === "EPIPE" || code === "EBADF" ? undefined : 0;
    }
  };
}
