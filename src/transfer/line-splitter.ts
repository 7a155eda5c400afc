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

/** Splits a file into lines like {@link LineSplitter}: the lines that each chunk completes. */
export async function* splitLines(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Iterable<Line>> {
  const splitter = new LineSplitter();
  for await (const piece of source) yield splitter.push(piece);
  yield splitter.end();
}

/**
 * Splits a stream of UTF-8 into lines. Lines end in LF or CRLF, optional for the last one; blank lines and a byte
 * order mark are skipped. INVALID_ARGUMENT for a line that is too long or not UTF-8.
 */
export class LineSplitter {
  /** The beginning of an incomplete line. */
  #start: Uint8Array[] = [];
  /** The length of that beginning, in bytes. */
  #startBytes = 0;
  /** The number of lines so far. */
  #count = 0;

  /** Yields the lines that a chunk completes. */
  *push(piece: Uint8Array): Generator<Line> {
    const end = piece.lastIndexOf(LINE_FEED);
    if (end >= 0) {
      const complete = Buffer.concat([...this.#start, piece.subarray(0, end)]);
      this.#start = [];
      this.#startBytes = 0;
      yield* this.#split(complete);
    }
    this.#start.push(piece.subarray(end + 1));
    this.#startBytes += piece.length - end - 1;
    if (this.#startBytes > LINE_LIMIT) throw tooLong(this.#count + 1);
  }

  /** Yields the last line if it has no line end. */
  *end(): Generator<Line> {
    yield* this.#split(Buffer.concat(this.#start));
  }

  *#split(bytes: Buffer): Generator<Line> {
    const isWhole = bytes.length <= LINE_LIMIT && isUtf8(bytes);
    for (const line of isWhole ? bytes.toString("utf8").split("\n") : this.#decode(bytes)) {
      this.#count += 1;
      const text = this.#count === 1 && line.startsWith("\ufeff") ? line.slice(1) : line;
      if (text.trim() !== "") yield { number: this.#count, text };
    }
  }

  /** Decodes line by line, to identify the invalid one. */
  *#decode(bytes: Buffer): Generator<string> {
    for (let from = 0; from <= bytes.length; ) {
      const found = bytes.indexOf(LINE_FEED, from);
      const to = found < 0 ? bytes.length : found;
      const line = bytes.subarray(from, to);
      if (line.length > LINE_LIMIT) throw tooLong(this.#count + 1);
      if (!isUtf8(line)) throw rejection(this.#count + 1, "not UTF-8");
      yield line.toString("utf8");
      from = to + 1;
    }
  }
}

function tooLong(line: number): DomainError {
  return rejection(line, `longer than ${LINE_LIMIT} bytes`);
}

function rejection(line: number, description: string): DomainError {
  const message = `line ${line}: ${description}`;
  return new DomainError(Code.INVALID_ARGUMENT, "LINE_INVALID", message);
}
