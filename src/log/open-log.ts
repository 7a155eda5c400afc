import { fstatSync, writeSync } from "node:fs";
import { type Logger, pino } from "pino";
import { LineBuffer, type Put } from "./line-buffer.ts";

/** The file descriptor of standard error. */
const STDERR = 2;

/**
 * The largest batch for a file, in bytes. A file takes a write of any size as one piece, and each write
 * costs as much as several lines.
 */
const FILE_BATCH_BYTES = 65_536;

/**
 * Opens the log on standard error. Its lines are written within a tenth of a second, and all of them when the
 * process exits, also by an uncaught exception.
 */
export function openLog(level: string): Logger {
  const lines = new LineBuffer({
    put: createPut(),
    ...(fstatSync(STDERR).isFile() && { batchBytes: FILE_BATCH_BYTES }),
    onDropped: (count) => log.warn({ lines: count }, "log lines dropped, standard error is slow"),
  });
  const log = pino({ level }, lines);
  // Before Node writes the exception, which is the later event.
  process.on("uncaughtExceptionMonitor", () => lines.flushSync());
  process.on("exit", () => lines.flushSync());
  return log;
}

/** Creates a function that writes to standard error without waiting for its reader. */
function createPut(): Put {
  // Node makes a pipe or socket non-blocking when its stream is created, and restores it at exit. Files and
  // terminals are written synchronously.
  process.stderr.on("error", () => {});
  return (bytes) => {
    try {
      return writeSync(STDERR, bytes);
    } catch (fault) {
      const { code } = fault as NodeJS.ErrnoException;
      return code === "EPIPE" || code === "EBADF" ? undefined : 0;
    }
  };
}
