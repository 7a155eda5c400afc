import { isUtf8 } from "node:buffer";
import { Code, DomainError } from "../domain/base/errors.ts";

/** The maximum length of a line, in bytes. */
export const LINE_LIMIT = 4 * 1024 * 1024;

/** A line with its number, from 1. */
export interface Line {
  readonly number: number;
  readonly text: string;
}

const LINE_FEED = 0x0a;

/**
 * Splits a file of UTF-8 into lines: the lines that each chunk completes. Lines end in LF or CRLF, optional for the last
 * one; blank lines and a byte order mark are skipped. INVALID_ARGUMENT for a line that is too long or not UTF-8.
 */
export async function* splitLines(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Iterable<Line>> {
  /** The beginning of an incomplete line, and its length in bytes. */
  let start: Uint8Array[] = [];
  let startBytes = 0;
  let count = 0;
  function* split(bytes: Buffer): Generator<Line> {
    for (let from = 0; from <= bytes.length; ) {
      count += 1;
      const found = bytes.indexOf(LINE_FEED, from);
      const to = found < 0 ? bytes.length : found;
      const line = bytes.subarray(from, to);
      if (line.length > LINE_LIMIT) throw tooLong(count);
      if (!isUtf8(line)) throw rejection(count, "not UTF-8");
      const decoded = line.toString("utf8");
      const text = count === 1 ? decoded.replace(/^\ufeff/, "") : decoded;
      if (text.trim() !== "") yield { number: count, text };
      from = to + 1;
    }
  }
  for await (const piece of source) {
    const end = piece.lastIndexOf(LINE_FEED);
    if (end >= 0) {
      yield split(Buffer.concat([...start, piece.subarray(0, end)]));
      start = [];
      startBytes = 0;
    }
    start.push(piece.subarray(end + 1));
    startBytes += piece.length - end - 1;
    if (startBytes > LINE_LIMIT) throw tooLong(count + 1);
  }
  yield split(Buffer.concat(start));
}

function tooLong(line: number): DomainError {
  return rejection(line, `longer than ${LINE_LIMIT} bytes`);
}

function rejection(line: number, description: string): DomainError {
  const message = `line ${line}: ${description}`;
  return new DomainError(Code.INVALID_ARGUMENT, "LINE_INVALID", message);
}
