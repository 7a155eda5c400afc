import { sql } from "kysely";
import type { Tx } from "../db/db.ts";
import type { BulkMode } from "../sql/base/connections.ts";
import { toPostgres } from "./postgres-transaction.ts";

/** The time limit of a statement that sorts, in milliseconds. */
const SORTING_TIMEOUT_MS = 3_600_000;

/** The statements that drop and create the indexes and constraints that cost an entry for each row; for the owner alone. */
const DROPPED = sql<{ readonly drop: string; readonly create: string }>`
  select format('alter table %I drop constraint %I', relname, conname) as drop,
    format('alter table %I add constraint %I %s', relname, conname, pg_get_constraintdef(pg_constraint.oid)) as create
  from pg_constraint join pg_class on pg_class.oid = conrelid
  where relnamespace = current_schema()::regnamespace
    and (relname, contype) in (('content_value', 'p'), ('content_word', 'p'), ('content', 'f'))
    and pg_has_role(relowner, 'usage')
  union all
  select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
  from pg_index join pg_class on pg_class.oid = indrelid
  where relnamespace = current_schema()::regnamespace and relname in ('content', 'content_word')
    and not exists (select from pg_constraint where conindid = indexrelid)
    and pg_has_role(relowner, 'usage')
`;

/** Writes very many rows: a database without other readers gets its indexes once it is filled. */
export class PostgresBulkMode implements BulkMode {
  readonly #findProcess: (() => Promise<number>) | undefined;

  /** `findProcess` finds the process of a connection of the store; absent: others may read the database. */
  constructor(findProcess: (() => Promise<number>) | undefined) {
    this.#findProcess = findProcess;
  }

  async suspendIndexes(tx: Tx): Promise<() => Promise<void>> {
    // Readers would wait for indexes that are dropped.
    const process = await this.#findProcess?.();
    if (process === undefined || !(await isAlone(tx, process))) return async () => {};
    const rows = await tx.all(DROPPED);
    for (const row of rows) await tx.run(sql.raw(row.drop));
    return async () => {
      for (const row of rows) await tx.run(sql.raw(row.create));
    };
  }

  async sorting<T>(tx: Tx, run: () => Promise<T>): Promise<T> {
    toPostgres(tx).timeoutMs = SORTING_TIMEOUT_MS;
    await tx.run(sql`set local work_mem = '64MB'`);
    await tx.run(sql`set local maintenance_work_mem = '256MB'`);
    return run();
  }
}

/** Reports whether a transaction and a process are the only connections. */
async function isAlone(tx: Tx, process: number): Promise<boolean> {
  const rows = await tx.all(sql`
    select from pg_stat_activity
    -- Of the processes of other users, the server says no more than this.
    where datname = current_database() and usesysid is not null
      and pid not in (pg_backend_pid(), ${process})
    limit 1
  `);
  return rows.length === 0;
}
