import { setImmediate } from "node:timers/promises";
import Database from "better-sqlite3";
import {
  type Row,
  rowRejected,
  type Table,
  type TableAccess,
  type WithTables,
} from "../db/migrate-database.ts";
import { toDomainError, translateErrors } from "./errors.ts";
import { BULK_CACHE_KIB, BUSY_TIMEOUT_MS, LEASES_SUFFIX, openSqliteStore } from "./open.ts";

/** The rows of a batch. */
const BATCH = 200;

/** Returns a runner over the tables of a database file; a source must exist, a target is created if missing. */
export function withSqliteTables(path: string, access: "source" | "target"): WithTables {
  return async (run) => {
    // Applies missing migrations.
    await openSqliteStore(path, { mustExist: access === "source" }).close();
    const database = translateErrors(() => new Database(path, { timeout: BUSY_TIMEOUT_MS }));
    try {
      database.prepare("attach ? as leases").run(`${path}${LEASES_SUFFIX}`);
      database.pragma("foreign_keys = on");
      database.pragma(`cache_size = -${BULK_CACHE_KIB}`);
      database.exec(access === "source" ? "begin" : "begin immediate");
      const result = await run(new SqliteTables(database));
      database.exec("commit");
      return result;
    } catch (error) {
      throw toDomainError(error);
    } finally {
      database.close();
    }
  };
}

class SqliteTables implements TableAccess {
  readonly migration: number;
  readonly #database: Database.Database;

  constructor(database: Database.Database) {
    this.#database = database;
    // The first read pins the snapshot.
    this.migration = Number(database.pragma("user_version", { simple: true }));
  }

  async listTables(): Promise<readonly Table[]> {
    const tables: Table[] = [];
    const names = `select name from pragma_table_list
      where schema in ('main', 'leases') and type = 'table' and name not like 'sqlite%' order by name`;
    for (const name of this.#list<string>(names)) {
      const columns = this.#list<string>(`select name from pragma_table_info('${name}')`);
      const key = `select name from pragma_table_info('${name}') where pk > 0 order by pk`;
      const references = `select distinct "table" from pragma_foreign_key_list('${name}')`;
      tables.push({ name, columns, key: this.#list(key), references: this.#list(references) });
    }
    return tables;
  }

  async first(statement: string): Promise<Row | undefined> {
    const prepared = this.#database.prepare<[], (number | string)[]>(statement);
    if (prepared.reader) return prepared.raw().get()?.map(String);
    prepared.run();
    return undefined;
  }

  async *read(query: string): AsyncGenerator<readonly Row[]> {
    const statement = this.#database.prepare<[], (bigint | Buffer | string | null)[]>(query);
    let rows: Row[] = [];
    for (const row of statement.raw().safeIntegers().iterate()) {
      rows.push(row.map(toText));
      if (rows.length < BATCH) continue;
      yield rows;
      rows = [];
      await setImmediate();
    }
    if (rows.length > 0) yield rows;
  }

  async insert(table: Table, rows: readonly Row[]): Promise<void> {
    const { name, columns } = table;
    const blobs = this.#list<string>(
      `select name from pragma_table_info('${name}') where type = 'BLOB'`,
    );
    // The column converts texts to integers.
    const values = columns.map((it) => (blobs.includes(it) ? "unhex(substr(?, 3))" : "?"));
    const insert = this.#database.prepare(
      `insert into ${name} (${columns.join(", ")}) values (${values.join(", ")})`,
    );
    for (const row of rows) {
      try {
        insert.run(row);
      } catch (cause) {
        const code = cause instanceof Database.SqliteError ? cause.code : "";
        const isRejection = /^SQLITE_(?:CONSTRAINT|TOOBIG|MISMATCH)/.test(code);
        throw isRejection ? rowRejected(table, row, cause) : cause;
      }
    }
  }

  // A new row gets the number after the highest.
  async finish(): Promise<void> {}

  #list<T>(query: string): T[] {
    return this.#database.prepare<[], T>(query).pluck().all();
  }
}

function toText(value: bigint | Buffer | string | null): string | null {
  if (value === null) return null;
  return Buffer.isBuffer(value) ? `\\x${value.toString("hex")}` : String(value);
}
