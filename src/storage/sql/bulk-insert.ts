import { type Insertable, sql } from "kysely";
import type { Tx } from "../db/db.ts";
import { type Slot, Statement } from "../db/query.ts";
import type { Schema } from "../db/schema.ts";

/** The rows of one INSERT: as many as possible, then what is left, so that few statements serve any number. */
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
        const start = from;
        const statement = findStatement(this.#table, this.#columns, rows);
        await this.#tx.run(statement.bind((slot) => values[start + Number(slot)]));
      }
    }
  }
}

/** The statements by table, columns and number of rows. */
const STATEMENTS = new Map<string, Statement>();

function findStatement(table: string, columns: readonly string[], rows: number): Statement {
  const key = `${table} ${columns.join()} ${rows}`;
  const known = STATEMENTS.get(key);
  if (known !== undefined) return known;
  const statement = new Statement(() => {
    const listed = Array.from({ length: rows }, (_, row) => {
      const slots = columns.map(
        (_, at) => sql`${{ slot: row * columns.length + at } satisfies Slot}`,
      );
      return sql`(${sql.join(slots)})`;
    });
    const names = columns.map((column) => sql.ref(column));
    return sql`insert into ${sql.table(table)} (${sql.join(names)}) values ${sql.join(listed)}`;
  });
  STATEMENTS.set(key, statement);
  return statement;
}
