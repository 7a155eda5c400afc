import type { IncomingHttpHeaders } from "node:http";

/** A date as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT`. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Reads after how many whole seconds a receiver wants to be asked again. A date is counted from the
 * answer's own date, so that no two clocks are compared. Undefined if it says nothing, or nothing
 * readable.
 */
export function readRetryAfter(headers: IncomingHttpHeaders): number | undefined {
  const text = headers["retry-after"]?.trim() ?? "";
  if (/^\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  const [end, start] = [readDate(text), readDate(headers.date ?? "")];
  if (end === undefined || start === undefined) return undefined;
  return Math.max(0, (end - start) / 1_000);
}

function readDate(text: string): number | undefined {
  const time = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
