import { CsvError, parse } from "csv-parse/sync";
import { malformed } from "./malformed.ts";

/** A record of a CSV text. */
export interface CsvRecord {
  /** Its first line, from 1. */
  readonly line: number;
  readonly values: readonly string[];
}

const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];

/**
 * Passes the records of a CSV text (RFC 4180) to `take`, in order. Lines end in CRLF, LF or CR; empty lines and
 * a byte order mark are skipped. `nameColumn` returns the name of a column by its index. INVALID_ARGUMENT
 * `CSV_MALFORMED` for misplaced quotes.
 */
export function readRecords(
  text: string,
  take: (record: CsvRecord) => void,
  nameColumn: (place: number) => string | undefined,
): void {
  const bytes = Buffer.from(text.replace(/^\ufeff/, ""));
  const lines = new LineCounter(bytes);
  const onRecord = (values: string[], info: { readonly bytes: number }) => {
    take({ line: lines.findStart(), values });
    lines.moveTo(info.bytes);
    return null;
  };
  try {
    parse(bytes, {
      record_delimiter: ["\r\n", "\n", "\r"],
      relax_column_count: true,
      skip_empty_lines: true,
      on_record: onRecord,
    });
  } catch (fault) {
    if (!(fault instanceof CsvError)) throw fault;
    const column = nameColumn(Number(fault.column));
    throw malformed("CSV_MALFORMED", lines.findStart(), explain(fault), column);
  }
}

/** Counts lines, because csv-parse counts a CRLF in a quoted value twice and reports the end of a record. */
class LineCounter {
  readonly #bytes: Uint8Array;
  #at = 0;
  #line = 1;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Returns the line of the next record. */
  findStart(): number {
    while (this.#bytes[this.#at] === LINE_FEED || this.#bytes[this.#at] === CARRIAGE_RETURN) {
      this.moveTo(this.#at + 1);
    }
    return this.#line;
  }

  /** Advances to an offset in the bytes. */
  moveTo(end: number): void {
    for (; this.#at < end; this.#at += 1) {
      const [byte, next] = [this.#bytes[this.#at], this.#bytes[this.#at + 1]];
      const isEnd = byte === LINE_FEED || (byte === CARRIAGE_RETURN && next !== LINE_FEED);
      if (isEnd) this.#line += 1;
    }
  }
}

function explain({ code, message }: CsvError): string {
  switch (code) {
    case "CSV_QUOTE_NOT_CLOSED":
      return 'a quoted value has no closing "';
    case "CSV_INVALID_CLOSING_QUOTE":
      return 'unexpected text after the closing "; write "" for a " within a value';
    case "INVALID_OPENING_QUOTE":
      return 'unexpected " in an unquoted value; quote the value and write "" for a " within it';
    default:
      return message;
  }
}
