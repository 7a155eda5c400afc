import { type Insertable, sql } from "kysely";
import type { Tx } from "../db/db.ts";
import { type Slot, Statement } from "../db/query.ts";
import type { Schema } from "../db/schema.ts";

/** The rows of one INSERT: as many as possible, then what is left, so that few statements serve any number. */
const CHUNKS = [100, 30, 10, 3, 1];

/** Inserts many rows into one table. Statements after `flush` find them. */
export interface BulkInsert<Row extends readonly unknown[]> {
  /** Adds a row, its values in the order of the columns. */
  add(...row: Row): void;
  flush(): Promise<void>;
  /** Flushes rows that are enough for the fixed costs of writing to be small. */
  flushIfFull(): Promise<void>;
}

/** Creates an insert of rows with the given columns. */
export type CreateInsert = <
  Table extends keyof Schema,
  const Columns extends readonly (keyof Schema[Table] & string)[],
>(
  tx: Tx,
  table: Table,
  columns: Columns,
) => BulkInsert<RowOf<Schema[Table], Columns>>;

type RowOf<Row, Columns extends readonly (keyof Row)[]> = {
  readonly [Index in keyof Columns]: Columns[Index] extends keyof Insertable<Row>
    ? Exclude<Insertable<Row>[Columns[Index]], undefined>
    : never;
};

/** Creates an insert by statements of several rows. */
export const createBulkInsert: CreateInsert = (tx, table, columns) => {
  const name = `${table} ${columns.join()}`;
  let values: unknown[] = [];
  const flush = async () => {
    const all = values;
    values = [];
    let from = 0;
    for (const rows of CHUNKS) {
      const size = rows * columns.length;
      for (; from + size <= all.length; from += size) {
        const start = from;
        const statement = toStatement(name, table, columns, rows);
        await tx.run(statement.bind((slot) => all[start + Number(slot)]));
      }
    }
  };
  return { add: (...row) => void values.push(...row), flush, flushIfFull: flush };
};

/** The statements by table, columns and number of rows. */
const STATEMENTS = new Map<string, Statement>();

function toStatement(
  name: string,
  table: string,
  columns: readonly string[],
  rows: number,
): Statement {
  const key = `${name} ${rows}`;
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
