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
    const isWhole = bytes.length <= LINE_LIMIT && isUtf8(bytes);
    for (const line of isWhole ? bytes.toString("utf8").split("\n") : decode(bytes, count)) {
      count += 1;
      const text = count === 1 && line.startsWith("\ufeff") ? line.slice(1) : line;
      if (text.trim() !== "") yield { number: count, text };
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

/** Decodes line by line, after `count` lines, to identify the invalid one. */
function* decode(bytes: Buffer, count: number): Generator<string> {
  let number = count;
  for (let from = 0; from <= bytes.length; ) {
    number += 1;
    const found = bytes.indexOf(LINE_FEED, from);
    const to = found < 0 ? bytes.length : found;
    const line = bytes.subarray(from, to);
    if (line.length > LINE_LIMIT) throw tooLong(number);
    if (!isUtf8(line)) throw rejection(number, "not UTF-8");
    yield line.toString("utf8");
    from = to + 1;
  }
}

function tooLong(line: number): DomainError {
  return rejection(line, `longer than ${LINE_LIMIT} bytes`);
}

function rejection(line: number, description: string): DomainError {
  const message = `line ${line}: ${description}`;
  return new DomainError(Code.INVALID_ARGUMENT, "LINE_INVALID", message);
}
