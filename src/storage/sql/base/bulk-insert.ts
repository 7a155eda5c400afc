import type { Insertable } from "kysely";
import type { Schema } from "../../../../gen/tables.ts";
import type { Tx } from "../../db/db.ts";
import { MARK, SqlText } from "../../db/sql-text.ts";

/** The numbers of rows in one INSERT: as many as possible, then the rest, so that few statements cover any number. */
const CHUNKS = [100, 30, 10, 3, 1];

type RowOf<Row, Columns extends readonly (keyof Row)[]> = {
  readonly [Index in keyof Columns]: Columns[Index] extends keyof Insertable<Row>
    ? Exclude<Insertable<Row>[Columns[Index]], undefined>
    : never;
};

/** Inserts many rows into one table. Statements after `flush` find them. */
export class BulkInsert<
  Table extends keyof Schema,
  const Columns extends readonly (keyof Schema[Table] & string)[],
> {
  readonly #tx: Tx;
  readonly #table: Table;
  readonly #columns: Columns;
  #values: unknown[] = [];

  constructor(tx: Tx, table: Table, columns: Columns) {
    this.#tx = tx;
    this.#table = table;
    this.#columns = columns;
  }

  /** Adds a row, its values in the order of the columns. */
  add(...row: RowOf<Schema[Table], Columns>): void {
    this.#values.push(...row);
  }

  /** Inserts the added rows. */
  async flush(): Promise<void> {
    const values = this.#values;
    this.#values = [];
    let from = 0;
    for (const rows of CHUNKS) {
      const size = rows * this.#columns.length;
      for (; from + size <= values.length; from += size) {
        const text = writeInsert(this.#table, this.#columns, rows);
        await this.#tx.run(new SqlText(text, values.slice(from, from + size)));
      }
    }
  }
}

/** Writes an INSERT of the given number of rows. */
function writeInsert(table: string, columns: readonly string[], rows: number): string {
  const names = columns.map((column) => `"${column}"`).join(", ");
  const row = `(${columns.map(() => MARK).join(", ")})`;
  return `insert into "${table}" (${names}) values ${new Array(rows).fill(row).join(", ")}`;
}
