import { statSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import Database from "better-sqlite3";
import { Kysely, SqliteDialect, type Transaction } from "kysely";
import { type CopySource, type CopyTarget, RowRefusal, type RunOn } from "../copy/copy-side.ts";
import { createLineParser, ESCAPES, type RowText, toLines } from "../copy/row-text.ts";
import { COPIED_TABLES, type ColumnKind, type CopiedTable, SHORT_LIVED } from "../copy/tables.ts";
import type { Schema } from "../sql/schema.ts";
import { createBulkMode, suspendIndexesOf } from "./bulk-mode.ts";
import { translateErrors } from "./errors.ts";
import { BULK_CACHE_KIB, BUSY_TIMEOUT_MS, LEASES_SUFFIX, openSqliteStore } from "./open.ts";

/** The bytes of a piece of rows. */
const PIECE = 65_536;

/** The connections to the files of a database. */
interface Files {
  readonly content: Database.Database;
  readonly leases: Database.Database;
}

/** Returns a runner of copies from a database file. UNAVAILABLE if there is none. */
export function readSqlite(path: string): RunOn<CopySource> {
  return async (run) => {
    translateErrors(() => statSync(path));
    await openSqliteStore(path).close();
    const files = openFiles(path);
    try {
      // The first read pins the snapshot.
      for (const database of [files.content, files.leases]) {
        database.exec("begin");
        database.prepare("select 1 from sqlite_schema").get();
      }
      const migration = Number(files.content.pragma("user_version", { simple: true }));
      return await run({ migration, ...createReads(files) });
    } finally {
      closeFiles(files);
    }
  };
}

/** Returns a runner of copies to a database file, created if missing. */
export function writeSqlite(path: string): RunOn<CopyTarget> {
  return async (run) => {
    await openSqliteStore(path).close();
    const files = openFiles(path);
    try {
      for (const database of [files.content, files.leases]) {
        database.pragma("foreign_keys = ON");
        translateErrors(() => database.exec("begin immediate"));
      }
      const result = await run(createTarget(files));
      // Leases first: without the content, nothing refers to them.
      files.leases.exec("commit");
      files.content.exec("commit");
      return result;
    } finally {
      closeFiles(files);
    }
  };
}

function openFiles(path: string): Files {
  const open = (file: string) => new Database(file, { timeout: BUSY_TIMEOUT_MS });
  const files = translateErrors(() => ({
    content: open(path),
    leases: open(`${path}${LEASES_SUFFIX}`),
  }));
  files.content.pragma(`cache_size = -${BULK_CACHE_KIB}`);
  return files;
}

function closeFiles({ content, leases }: Files): void {
  leases.close();
  content.close();
}

function fileOf({ content, leases }: Files, { name }: CopiedTable): Database.Database {
  return SHORT_LIVED.includes(name) ? leases : content;
}

function createReads(files: Files): Pick<CopySource, "count" | "read"> {
  return {
    async count(table) {
      const statement = fileOf(files, table).prepare<[], number>(
        `select count(*) from ${table.name}`,
      );
      return statement.pluck().get() ?? 0;
    },
    read: (table) => readRows(fileOf(files, table), table),
  };
}

async function* readRows(
  database: Database.Database,
  { name, key, columns }: CopiedTable,
): RowText {
  const line = columns.map(toText).join(" || char(9) || ");
  // As bytes, so that a text that is no UTF-8 stays as it is.
  const statement = database.prepare<[], Buffer>(
    `select cast(${line} || char(10) as blob) from ${name} order by ${key.join(", ")}`,
  );
  let rows: Buffer[] = [];
  let size = 0;
  for (const row of statement.pluck().iterate()) {
    rows.push(row);
    size += row.length;
    if (size < PIECE) continue;
    yield Buffer.concat(rows);
    [rows, size] = [[], 0];
    await setImmediate();
  }
  if (size > 0) yield Buffer.concat(rows);
}

/** Returns the expression of a column's text, which is described at {@link RowText}. */
function toText([column, kind]: readonly [string, ColumnKind]): string {
  return `coalesce(${toTextOfValue(column, kind)}, '\\N')`;
}

function toTextOfValue(column: string, kind: ColumnKind): string {
  switch (kind) {
    case "bytes":
      return `iif(${column} is null, null, '\\\\x' || lower(hex(${column})))`;
    case "integer":
      return column;
    case "text":
      return ESCAPES.reduce(
        (text, [code, letter]) => `replace(${text}, char(${code}), '\\${letter}')`,
        column,
      );
    default:
      return kind satisfies never;
  }
}

function createTarget(files: Files): CopyTarget {
  const { content } = files;
  // The transaction is open already, as the file of leases has one too.
  const dialect = new SqliteDialect({ database: content });
  const tx = new Kysely<Schema>({ dialect }) as Transaction<Schema>;
  return {
    ...createReads(files),
    async isEmpty(table) {
      const statement = fileOf(files, table).prepare(`select 1 from ${table.name} limit 1`);
      return statement.get() === undefined;
    },
    async clear(table) {
      fileOf(files, table).exec(`delete from ${table.name}`);
    },
    write: (table, rows) => writeRows(fileOf(files, table), table, rows),
    async suspendIndexes() {
      const { sorting } = createBulkMode(BULK_CACHE_KIB);
      const creates: (() => Promise<void>)[] = [];
      for (const table of COPIED_TABLES) {
        if (fileOf(files, table) === content) creates.push(await suspendIndexesOf(tx, table.name));
      }
      return () =>
        sorting(tx, async () => {
          for (const create of creates) await create();
        });
    },
    // A new row gets the number after the highest.
    continueNumbers: async () => {},
  };
}

async function writeRows(
  database: Database.Database,
  table: CopiedTable,
  rows: RowText,
): Promise<void> {
  const names = table.columns.map(([name]) => name);
  const insert = database.prepare(
    `insert into ${table.name} (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`,
  );
  const parse = createLineParser(table);
  let count = 0;
  for await (const lines of toLines(rows)) {
    for (const line of lines) {
      count += 1;
      try {
        insert.run(parse(line));
      } catch (fault) {
        throw toRefusal(fault, count);
      }
    }
  }
}

/** Tells a row that breaks a rule of its table from a file that cannot be written. */
function toRefusal(fault: unknown, line: number): unknown {
  const { code } = fault instanceof Database.SqliteError ? fault : { code: "" };
  return /^SQLITE_(?:CONSTRAINT|TOOBIG|MISMATCH)/.test(code) ? new RowRefusal(line, fault) : fault;
}
