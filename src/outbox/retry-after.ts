import type { IncomingHttpHeaders } from "node:http";

/** An HTTP date: `Sun, 06 Nov 1994 08:49:37 GMT`. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Reads `Retry-After` in seconds. A date is compared with the `Date` of the same response, which avoids
 * clock skew. Undefined if the header is missing or malformed.
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
