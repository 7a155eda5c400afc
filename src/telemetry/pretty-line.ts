import { inspect, styleText } from "node:util";

/** The levels by their number in a line, and their colors on a terminal. */
const LEVELS = {
  20: ["DEBUG", "gray"],
  30: ["INFO", "green"],
  40: ["WARN", "yellow"],
  50: ["ERROR", "red"],
  60: ["FATAL", "redBright"],
} as const;

/** The members of a line that are shown in other ways, or are the same in all lines. */
const SHOWN: ReadonlySet<string> = new Set(["level", "time", "pid", "hostname", "msg", "err"]);

/** The members of the line of a request, which are shown in its text. */
const REQUEST: ReadonlySet<string> = new Set(["method", "path", "status", "duration_ms"]);

/**
 * Writes a human-readable line of the log: the time, the level, the text, and then the other members. A request is
 * shown as `GET /path 200 1.2 ms`, an error with its stack on lines of its own.
 */
export function toPrettyLine(line: string, hasColors: boolean): string {
  const entry = JSON.parse(line) as LogEntry;
  const style = (format: Parameters<typeof styleText>[0], text: string) =>
    hasColors ? styleText(format, text, { validateStream: false }) : text;
  const [name, color] = LEVELS[entry.level as keyof typeof LEVELS] ?? [String(entry.level), "gray"];
  const isRequest = entry.msg === "request";
  const rest = Object.entries(entry)
    .filter(([key]) => !SHOWN.has(key) && !(isRequest && REQUEST.has(key)))
    .map(([key, value]) => style("gray", `${key}=`) + toText(value));
  const head = [
    style("gray", toTime(new Date(entry.time))),
    style(color, name.padEnd(5)),
    isRequest ? describeRequest(entry) : escapeControls(entry.msg ?? ""),
    ...rest,
  ].join(" ");
  const stack = entry.err?.stack ?? entry.err?.message;
  return stack === undefined ? `${head}\n` : `${head}\n${indent(stack)}\n`;
}

/** A line of pino, or of the access log. */
interface LogEntry {
  readonly level: number;
  readonly time: number;
  readonly msg?: string;
  readonly err?: { readonly stack?: string; readonly message?: string };
  readonly [key: string]: unknown;
}

/** Returns the local time of day with milliseconds. */
function toTime(date: Date): string {
  const milliseconds = String(date.getMilliseconds()).padStart(3, "0");
  return `${date.toTimeString().slice(0, "hh:mm:ss".length)}.${milliseconds}`;
}

function describeRequest({ method, path, status, duration_ms: duration }: LogEntry): string {
  return `${escapeControls(String(method))} ${escapeControls(String(path))} ${status} ${duration} ms`;
}

/** Writes a value on one line; texts without spaces are unquoted. */
function toText(value: unknown): string {
  if (typeof value === "string" && /^[!-~]+$/.test(value)) return value;
  return typeof value === "string"
    ? JSON.stringify(value)
    : inspect(value, { breakLength: Number.POSITIVE_INFINITY, compact: true });
}

/** Replaces characters that control a terminal, such as an escape sequence in a path. */
function escapeControls(text: string): string {
  const toHex = (unit: string) => `\\x${unit.charCodeAt(0).toString(16).padStart(2, "0")}`;
  return text.replaceAll(/\p{Cc}/gu, toHex);
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `    ${escapeControls(line)}`)
    .join("\n");
}
