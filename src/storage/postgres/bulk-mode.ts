import { sql } from "kysely";
import type { Tx } from "../db/db.ts";
import type { CreateInsert } from "../sql/bulk-insert.ts";
import type { BulkMode, SuspendedIndexes } from "../sql/connections.ts";
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

/** The time for a statement of an import, in milliseconds. */
const BULK_TIMEOUT_MS = 3_600_000;

/** Writes rows by COPY. */
export const BULK_MODE: BulkMode = {
  insert: createCopyInsert,

  // Readers would wait for indexes that are dropped.
  suspendIndexes: async () => ({ async resumeItems() {}, async resume() {} }),

  async sorting(tx, run) {
    toPostgres(tx).timeoutMs = BULK_TIMEOUT_MS;
    await tx.run(sql`set local work_mem = '64MB'`);
    await tx.run(sql`set local maintenance_work_mem = '256MB'`);
    return run();
  },
};

/**
 * Creates the bulk mode of a store that only an import uses: a database with few items to which no other process is
 * connected gets its indexes once it is filled. `findOwn` finds the process of a connection of the store.
 */
export function createBulkMode(findOwn: () => Promise<number>): BulkMode {
  return {
    ...BULK_MODE,
    suspendIndexes: async (tx) =>
      (await isAlone(tx, await findOwn())) ? suspend(tx) : BULK_MODE.suspendIndexes(tx),
  };
}

/** Reports whether no other process is connected. */
async function isAlone(tx: Tx, own: number): Promise<boolean> {
  const rows = await tx.all(sql`
    select from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend'
      and pid not in (pg_backend_pid(), ${own})
    limit 1
  `);
  return rows.length === 0;
}

async function suspend(tx: Tx): Promise<SuspendedIndexes> {
  const run: RunStatement = (text, parameters = []) => toPostgres(tx).query(text, parameters);
  const resumeItems = await suspendKeys(run, ["content_leaf"], "primary");
  const resumes = [
    await suspendIndexes(run, ["content", "content_word"]),
    await suspendKeys(run, ["content_value", "content_word"], "primary"),
    await suspendKeys(run, ["content"], "foreign"),
  ];
  return {
    resumeItems,
    async resume() {
      for (const resume of resumes) await resume();
    },
  };
}

/** Runs a statement on one connection. */
export type RunStatement = (
  text: string,
  parameters?: readonly unknown[],
) => Promise<{ readonly rows: readonly unknown[] }>;

/** What is dropped, and the statement that creates it. */
interface Dropped {
  readonly drop: string;
  readonly create: string;
}

const INDEXES = `
  select
    format('drop index %s', indexrelid::regclass) as drop,
    pg_get_indexdef(indexrelid) as create
  from pg_index join pg_class on pg_class.oid = indrelid
  where relnamespace = current_schema()::regnamespace and relname = any($1)
    and not exists (select from pg_constraint where conindid = indexrelid)
`;

const CONSTRAINTS = `
  select
    format('alter table %I drop constraint %I', relname, conname) as drop,
    format('alter table %I add constraint %I %s', relname, conname, pg_get_constraintdef(pg_constraint.oid)) as create
  from pg_constraint join pg_class on pg_class.oid = conrelid
  where relnamespace = current_schema()::regnamespace and relname = any($1) and contype = $2
`;

/** Drops the indexes of tables that hold no constraint; the returned function creates them. */
export async function suspendIndexes(
  run: RunStatement,
  tables: readonly string[],
): Promise<() => Promise<void>> {
  return drop(run, (await run(INDEXES, [tables])).rows as readonly Dropped[]);
}

/** Drops the primary keys or the foreign keys of tables; the returned function creates them. */
export async function suspendKeys(
  run: RunStatement,
  tables: readonly string[],
  which: "primary" | "foreign",
): Promise<() => Promise<void>> {
  const { rows } = await run(CONSTRAINTS, [tables, which === "primary" ? "p" : "f"]);
  return drop(run, rows as readonly Dropped[]);
}

async function drop(run: RunStatement, all: readonly Dropped[]): Promise<() => Promise<void>> {
  for (const { drop } of all) await run(drop);
  return async () => {
    for (const { create } of all) await run(create);
  };
}
