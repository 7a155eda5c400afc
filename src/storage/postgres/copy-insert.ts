import type { BulkInsert, createBulkInsert, RowTemplate } from "../sql/bulk-insert.ts";
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
export const createCopyInsert: typeof createBulkInsert = (tx, table, columns) => {
  const text = `copy ${table} (${columns.join(", ")}) from stdin`;
  let rows: string[] = [];
  let length = 0;
  let sent: Promise<void> | undefined;
  const push = (row: string) => {
    rows.push(row);
    length += row.length;
  };
  async function flush(): Promise<void> {
    if (rows.length === 0) return;
    const all = rows.join("");
    [rows, length] = [[], 0];
    await sent;
    sent = toPostgres(tx).copyFrom(text, all);
    sent.catch(() => {});
  }
  const insert: BulkInsert<readonly unknown[]> = {
    add(...row) {
      push(`${row.map(toText).join("\t")}\n`);
    },

    addRows(template, first, values) {
      const start = toText(first);
      let at = 0;
      for (const row of readTemplate(template)) {
        let line = start;
        for (const constant of row) {
          line += constant ?? `\t${toText(values[at])}`;
          if (constant === undefined) at += 1;
        }
        push(`${line}\n`);
      }
    },

    flush,
    flushIfFull: async () => (length < FULL ? undefined : flush()),
  };
  // The types of a row's values are those of the columns; here each becomes a text.
  return insert as never;
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

/** The texts of the constants of templates, each with its separator; those of a template are used very often. */
const TEMPLATES = new WeakMap<RowTemplate, readonly (readonly (string | undefined)[])[]>();

function readTemplate(template: RowTemplate): readonly (readonly (string | undefined)[])[] {
  const known = TEMPLATES.get(template);
  if (known !== undefined) return known;
  const read = template.map((row) =>
    row.map((value) => (value === undefined ? undefined : `\t${toText(value)}`)),
  );
  TEMPLATES.set(template, read);
  return read;
}
