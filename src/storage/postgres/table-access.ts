import pg, { DatabaseError } from "pg";
import {
  type Row,
  rowRejected,
  type Table,
  type TableAccess,
  type WithTables,
} from "../db/migrate-database.ts";
import {
  BEGIN_WRITE,
  type PostgresLocation,
  readSettings,
  WITHOUT_TIMEOUTS,
} from "./client-settings.ts";
import { translateError } from "./errors.ts";
import { SELECT_SCHEMA } from "./migrate.ts";
import { openPostgresStore } from "./open.ts";
import { BEGIN_READ } from "./postgres-reads.ts";

/** The rows of a batch. */
const BATCH = 200;

/** The settings of the transaction, which may wait long for the other database. */
const SETTINGS = [WITHOUT_TIMEOUTS, "set local bytea_output = 'hex'"];

const BEGIN = {
  source: [BEGIN_READ, ...SETTINGS],
  target: [
    ...[BEGIN_WRITE, ...SETTINGS],
    "select pg_advisory_xact_lock(hashtextextended('marquee installation', 0))",
  ],
};

/** The tables of the schema, with their columns, the columns of their keys, and the tables that they refer to. */
const LIST_TABLES = `
  select relname as name,
    array(
      select attname::text from pg_attribute
      where attrelid = pg_class.oid and attnum > 0 and not attisdropped order by attnum
    ) as columns,
    array(
      select attname::text from pg_index
      cross join unnest(indkey) with ordinality as part (number, position)
      join pg_attribute on attrelid = indrelid and attnum = part.number
      where indrelid = pg_class.oid and indisprimary order by part.position
    ) as key,
    array(
      select confrelid::regclass::text from pg_constraint
      where conrelid = pg_class.oid and contype = 'f'
    ) as references
  from pg_class
  where relnamespace = current_schema()::regnamespace and relkind = 'r'
  order by relname
`;

/** The columns that number their rows, with their sequences. */
const LIST_SEQUENCES = `
  select table_name as "table", column_name as "column",
    pg_get_serial_sequence(quote_ident(table_name), column_name) as sequence
  from information_schema.columns
  where table_schema = current_schema() and is_identity = 'YES'
  union all select 'content', 'item', 'content_item'
`;

/** The SQLSTATEs of a row that cannot be stored because of a value, a constraint or a size. */
const REJECTIONS = /^(?:22|23|54)/;

/** Returns a runner over the tables of a database. */
export function withPostgresTables(
  location: PostgresLocation,
  access: "source" | "target",
): WithTables {
  return async (run) => {
    // Applies missing migrations.
    await (await openPostgresStore(location, { mustExist: access === "source" })).close();
    const client = new pg.Client(readSettings(location).toConfig());
    // The current statement reports the error; without a listener the process would exit.
    client.on("error", () => {});
    try {
      await client.connect();
      for (const statement of BEGIN[access]) await client.query(statement);
      const { rows } = await client.query(SELECT_SCHEMA);
      const result = await run(new PostgresTables(client, rows[0].number));
      await client.query("commit");
      return result;
    } catch (error) {
      throw translateError(error);
    } finally {
      // Without a commit, the server rolls the transaction back.
      await client.end().catch(() => {});
    }
  };
}

class PostgresTables implements TableAccess {
  readonly migration: number;
  readonly #client: pg.Client;

  constructor(client: pg.Client, migration: number) {
    this.#client = client;
    this.migration = migration;
  }

  async listTables(): Promise<readonly Table[]> {
    return (await this.#client.query(LIST_TABLES)).rows;
  }

  async first(statement: string): Promise<Row | undefined> {
    return (await this.#query(statement))[0];
  }

  async *read(query: string): AsyncGenerator<readonly Row[]> {
    await this.#client.query(`declare batches no scroll cursor for ${query}`);
    for (;;) {
      const rows = await this.#query(`fetch ${BATCH} from batches`);
      if (rows.length === 0) break;
      yield rows;
    }
    await this.#client.query("close batches");
  }

  async insert(table: Table, rows: readonly Row[]): Promise<void> {
    await this.#client.query("savepoint batch");
    try {
      await this.#insert(table, rows);
    } catch (error) {
      if (!isRejection(error)) throw error;
      const [row] = rows;
      if (rows.length === 1 && row !== undefined) throw rowRejected(table, row, error);
      await this.#client.query("rollback to savepoint batch");
      for (const row of rows) await this.insert(table, [row]);
    }
    await this.#client.query("release savepoint batch");
  }

  async finish(tables: readonly Table[]): Promise<void> {
    await this.#client.query(`analyze ${tables.map(({ name }) => name).join(", ")}`);
    for (const { table, column, sequence } of (await this.#client.query(LIST_SEQUENCES)).rows) {
      await this.#client.query(
        `select setval('${sequence}', max(${column})) from ${table} having max(${column}) is not null`,
      );
    }
  }

  async #insert({ name, columns }: Table, rows: readonly Row[]): Promise<void> {
    const list = columns.join(", ");
    const objects = rows.map((row) =>
      Object.fromEntries(columns.map((column, index) => [column, row[index]])),
    );
    await this.#client.query(
      `insert into ${name} (${list}) select ${list} from json_populate_recordset(null::${name}, $1)`,
      [JSON.stringify(objects)],
    );
  }

  /** Runs a statement; returns its rows as texts. */
  async #query(text: string): Promise<Row[]> {
    const types = { getTypeParser: () => (value: string) => value };
    return (await this.#client.query({ text, rowMode: "array", types })).rows;
  }
}

function isRejection(error: unknown): boolean {
  return error instanceof DatabaseError && REJECTIONS.test(error.code ?? "");
}
