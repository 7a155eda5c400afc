import type { CompiledQuery, Insertable, Kysely, Transaction } from "kysely";

/** The rows of one INSERT, enough to make its fixed cost small. */
const CHUNK = 100;

/** Inserts many rows into one table. Rows are written once `flush` has returned. */
export interface BulkInsert<Row extends readonly unknown[]> {
  /** Adds a row, its values in the order of the columns. */
  add(...row: Row): void;
  flush(): Promise<void>;
}

type Placeholders = Record<string, Record<string, number>>;

type RowOf<Row, Columns extends readonly (keyof Row)[]> = {
  readonly [Index in keyof Columns]: Columns[Index] extends keyof Insertable<Row>
    ? Exclude<Insertable<Row>[Columns[Index]], undefined>
    : never;
};

/**
 * Creates an insert of rows with the given columns. `ignoreKnown` skips rows whose key exists. The statement
 * of a full chunk is compiled once, as compiling takes longer than running.
 */
export function createBulkInsert<
  Tables,
  Table extends keyof Tables & string,
  const Columns extends readonly (keyof Tables[Table] & string)[],
>(
  tx: Transaction<Tables>,
  table: Table,
  columns: Columns,
  { ignoreKnown = false }: { readonly ignoreKnown?: boolean } = {},
): BulkInsert<RowOf<Tables[Table], Columns>> {
  const statements = new Map<number, CompiledQuery>();
  let waiting: unknown[] = [];

  const compile = (rows: number) => {
    const row = Object.fromEntries(columns.map((column) => [column, 0]));
    const values = Array.from({ length: rows }, () => row);
    // The types of a row's values are those of `add`; here they are placeholders.
    const insert = (tx as unknown as Kysely<Placeholders>).insertInto(table).values(values);
    return (ignoreKnown ? insert.onConflict((it) => it.doNothing()) : insert).compile();
  };

  return {
    add(...row) {
      waiting.push(...row);
    },
    async flush() {
      const all = waiting;
      waiting = [];
      const size = CHUNK * columns.length;
      for (let from = 0; from < all.length; from += size) {
        const parameters = all.slice(from, from + size);
        const rows = parameters.length / columns.length;
        const statement = statements.get(rows) ?? compile(rows);
        statements.set(rows, statement);
        await tx.executeQuery({ ...statement, parameters });
      }
    },
  };
}
