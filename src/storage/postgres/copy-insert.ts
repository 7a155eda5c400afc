import type { CreateInsert } from "../sql/bulk-insert.ts";
import { toPostgres } from "./postgres-transaction.ts";
import { toValue } from "./values.ts";

/** The characters that end a value or a row in COPY, and the one that escapes them. */
const ESCAPED = /[\\\t\n\r]/g;

const ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
};

/**
 * The characters of the rows of one COPY, which for each one makes room for a thousand rows. Those of one are written
 * while those of the next are collected.
 */
const FULL = 1_000_000;

/**
 * Creates an insert of rows by COPY, which takes a few messages for any number of rows. What the server refuses fails
 * the next flush, or the next statement of the transaction.
 */
export const createCopyInsert: CreateInsert = (tx, table, columns) => {
  const text = `copy ${table} (${columns.join(", ")}) from stdin`;
  let rows: string[] = [];
  let length = 0;
  let sent: Promise<void> | undefined;
  const flush = async () => {
    if (rows.length === 0) return;
    const all = rows.join("");
    [rows, length] = [[], 0];
    await sent;
    sent = toPostgres(tx).copyFrom(text, all);
    sent.catch(() => {});
  };
  return {
    add(...row) {
      const line = `${(row as readonly unknown[]).map(toText).join("\t")}\n`;
      rows.push(line);
      length += line.length;
    },
    flush,
    flushIfFull: async () => (length < FULL ? undefined : flush()),
  };
};

/** Returns the text of a value in COPY. */
function toText(value: unknown): string {
  if (value === null) return "\\N";
  const bound = toValue(value);
  return typeof bound === "string" ? bound.replace(ESCAPED, escapeCharacter) : String(bound);
}

function escapeCharacter(character: string): string {
  return ESCAPES[character] ?? character;
}
