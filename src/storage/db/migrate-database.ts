import { hash } from "node:crypto";
import { Code, DomainError } from "../../domain/base/errors.ts";

/** A table as described in the catalog of its database. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of its primary key, if it has one. */
  readonly key: readonly string[];
  /** The tables that its rows refer to. */
  readonly references: readonly string[];
}

/** The values of a row as PostgreSQL writes them: bytes are hexadecimal digits after `\x`. */
export type Row = readonly (string | null)[];

/** The tables of a database within one transaction. */
export interface TableAccess {
  /** The number of the last applied migration. */
  readonly migration: number;
  listTables(): Promise<readonly Table[]>;
  /** Runs a statement; returns its first row. */
  first(statement: string): Promise<Row | undefined>;
  /** Runs a query; yields its rows, several at a time. */
  read(query: string): AsyncIterable<readonly Row[]>;
  /** Inserts rows; throws {@link rowRejected} for the first one that the table cannot store. */
  insert(table: Table, rows: readonly Row[]): Promise<void>;
  /** Advances the numbering of new rows beyond the inserted ones, and counts rows for the planner. */
  finish(tables: readonly Table[]): Promise<void>;
}

/** Opens a database, runs a function, and closes it; writes are committed unless the function throws. */
export type WithTables = <T>(run: (tables: TableAccess) => Promise<T>) => Promise<T>;

/** The current step of a migration to another database. */
export type MoveProgress =
  | { readonly step: "rows"; readonly rows: number; readonly size: number }
  | { readonly step: "comparison" };

/** Options of {@link migrateDatabase}. */
export interface MoveOptions {
  readonly onProgress?: (progress: MoveProgress) => void;
}

/** Summarizes a migration to another database. */
export interface MoveSummary {
  /** The number of the last applied migration. */
  readonly migration: number;
  /** The number of rows of each table. */
  readonly counts: readonly (readonly [table: string, rows: number])[];
}

/** The tables with rows that last minutes: the target's are deleted. */
const SHORT_LIVED: readonly string[] = ["lease", "rate_count"];

/** The tables and columns that an engine fills by itself. */
const DERIVED =
  /^(?:change|schema_migration|timeline|transaction_total|draft_(?:count|time)|(?:draft|history|run)_bytes|\w+_xid)$/;

/**
 * Copies the rows of all tables from one database to another, which must be empty, and compares both. Throws a
 * DomainError:
 * - FAILED_PRECONDITION `DATABASE_NOT_EMPTY`: the target is not empty.
 * - FAILED_PRECONDITION `ROW_REFUSED`: the target cannot store a row.
 * - INTERNAL `DATABASE_COPY_DIFFERS`: the target does not return the rows that were written.
 */
export async function migrateDatabase(
  withSource: WithTables,
  withTarget: WithTables,
  { onProgress = () => {} }: MoveOptions = {},
): Promise<MoveSummary> {
  return withSource((source) =>
    withTarget(async (target) => {
      const tables = await listTables(target);
      for (const table of tables) await checkEmpty(target, table);
      let size = 0;
      for (const { name } of tables) {
        size += Number((await source.first(`select count(*) from ${name}`))?.[0]);
      }
      const sums: RowSum[] = [];
      let rows = 0;
      for (const table of tables) {
        const copyRows = async (batch: readonly Row[]) => {
          await target.insert(table, batch);
          rows += batch.length;
          onProgress({ step: "rows", rows, size });
        };
        sums.push(await sumRows(source, table, copyRows));
      }
      await target.finish(tables);
      onProgress({ step: "comparison" });
      for (const [index, table] of tables.entries()) {
        checkEqual(table, sums[index], await sumRows(target, table));
      }
      const counts = tables.map(({ name }, index) => [name, sums[index]?.rows ?? 0] as const);
      return { migration: source.migration, counts };
    }),
  );
}

/** Lists the tables and columns to copy; each table follows the tables that it refers to. */
export async function listTables(database: TableAccess): Promise<readonly Table[]> {
  const tables = (await database.listTables())
    .filter(({ name }) => !DERIVED.test(name))
    .map((it) => ({ ...it, columns: it.columns.filter((column) => !DERIVED.test(column)) }));
  const sorted = new Set<Table>();
  const add = (table: Table) => {
    for (const other of tables) {
      if (other !== table && table.references.includes(other.name)) add(other);
    }
    sorted.add(table);
  };
  tables.forEach(add);
  return [...sorted];
}

async function checkEmpty(target: TableAccess, { name }: Table): Promise<void> {
  if (SHORT_LIVED.includes(name)) {
    await target.first(`delete from ${name}`);
  } else if ((await target.first(`select 1 from ${name} limit 1`)) !== undefined) {
    throw new DomainError(
      Code.FAILED_PRECONDITION,
      "DATABASE_NOT_EMPTY",
      `the target is not empty: table ${name} has rows; use a new database`,
    );
  }
}

/** Creates a FAILED_PRECONDITION `ROW_REFUSED` error for a row that a table cannot store. */
export function rowRejected({ name, columns, key }: Table, row: Row, cause: unknown): DomainError {
  const values = key.map((column) => `${column} ${row[columns.indexOf(column)]}`);
  const which = values.length > 0 ? `the row ${values.join(", ")}` : "a row";
  const message = `the target cannot store ${which} of table ${name}`;
  return new DomainError(Code.FAILED_PRECONDITION, "ROW_REFUSED", message, { cause });
}

/** The number of rows of a table, and the sum of their checksums, which does not depend on their order. */
interface RowSum {
  readonly rows: number;
  readonly checksum: bigint;
}

async function sumRows(
  database: TableAccess,
  { name, columns }: Table,
  onRows: (rows: readonly Row[]) => Promise<void> = async () => {},
): Promise<RowSum> {
  let [count, checksum] = [0, 0n];
  for await (const rows of database.read(`select ${columns.join(", ")} from ${name}`)) {
    for (const row of rows) {
      checksum += hash("sha256", JSON.stringify(row), "buffer").readBigUInt64BE();
    }
    count += rows.length;
    await onRows(rows);
  }
  return { rows: count, checksum };
}

function checkEqual({ name }: Table, want: RowSum | undefined, got: RowSum): void {
  if (got.rows === want?.rows && got.checksum === want.checksum) return;
  const difference =
    got.rows === want?.rows
      ? `the checksums of its ${want.rows} rows differ`
      : `${want?.rows} rows were read, but ${got.rows} are stored`;
  throw new DomainError(
    Code.INTERNAL,
    "DATABASE_COPY_DIFFERS",
    `table ${name} differs in the target: ${difference}; nothing was moved`,
  );
}
