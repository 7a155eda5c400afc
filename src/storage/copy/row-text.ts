import { createHash } from "node:crypto";
import type { ColumnKind, CopiedTable } from "./tables.ts";

/**
 * Rows as PostgreSQL's COPY writes them: a line for each, its values separated by tabs; null is `\N`, bytes are
 * hexadecimal digits after `\\x`, and a backslash or a control character from U+0008 to U+000D is escaped. Pieces
 * end anywhere.
 */
export type RowText = AsyncIterable<Buffer>;

/** The characters that are escaped, the backslash first, with the letters that stand for them. */
export const ESCAPES: readonly (readonly [code: number, letter: string])[] = [
  [0x5c, "\\"],
  [0x08, "b"],
  [0x09, "t"],
  [0x0a, "n"],
  [0x0b, "v"],
  [0x0c, "f"],
  [0x0d, "r"],
];

const CHARACTERS = new Map(ESCAPES.map(([code, letter]) => [letter, String.fromCharCode(code)]));

const NEWLINE = 0x0a;
const NULL = "\\N";
const BYTES = "\\\\x";

/** The digits of which a number is always exact. */
const EXACT_DIGITS = 15;

/** A value of a row, as SQLite binds it. */
export type Value = bigint | Buffer | null | number | string;

/** The number of rows of a table and a checksum of them in the order of their keys. */
export interface RowSum {
  readonly rows: number;
  readonly checksum: string;
}

/** Passes rows on while it sums them up. */
export interface RowSummary {
  pass(text: RowText): RowText;
  readonly rows: number;
  /** Returns the sum of what was passed. */
  end(): RowSum;
}

/** Creates the summary of a table. */
export function createRowSummary(onRows: (count: number) => void = () => {}): RowSummary {
  const hash = createHash("sha256");
  let rows = 0;
  return {
    async *pass(text) {
      for await (const piece of text) {
        hash.update(piece);
        const count = countLines(piece);
        rows += count;
        onRows(count);
        yield piece;
      }
    },
    get rows() {
      return rows;
    },
    end: () => ({ rows, checksum: hash.digest("hex") }),
  };
}

/** Sums up the rows of a text. */
export async function sumRows(text: RowText): Promise<RowSum> {
  const summary = createRowSummary();
  for await (const _ of summary.pass(text));
  return summary.end();
}

function countLines(piece: Buffer): number {
  let count = 0;
  for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

/** Yields the lines of rows, several at a time, without their ends. */
export async function* toLines(text: RowText): AsyncGenerator<readonly string[]> {
  let rest: Buffer[] = [];
  for await (const piece of text) {
    const end = piece.lastIndexOf(NEWLINE);
    if (end < 0) {
      rest.push(piece);
      continue;
    }
    const lines = Buffer.concat([...rest, piece.subarray(0, end)]).toString("utf8");
    yield lines.split("\n");
    rest = [piece.subarray(end + 1)];
  }
}

/** Creates a parser of the lines of a table. */
export function createLineParser({ columns }: CopiedTable): (line: string) => Value[] {
  const kinds = columns.map(([, kind]) => kind);
  return (line) => line.split("\t").map((text, index) => toValue(text, kinds[index] ?? "text"));
}

function toValue(text: string, kind: ColumnKind): Value {
  if (text === NULL) return null;
  switch (kind) {
    case "bytes":
      return Buffer.from(text.slice(BYTES.length), "hex");
    case "integer":
      return text.length <= EXACT_DIGITS ? Number(text) : BigInt(text);
    case "text":
      return text.includes("\\") ? text.replace(/\\(.)/g, readEscape) : text;
    default:
      return kind satisfies never;
  }
}

function readEscape(_: string, letter: string): string {
  return CHARACTERS.get(letter) ?? letter;
}
