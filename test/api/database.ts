import { type Kysely, sql } from "kysely";
import type { Schema } from "../../gen/tables.ts";
import { dumpDatabase, listTables, openDatabase } from "../harness/database.ts";
import type { Marquee } from "../harness/marquee.ts";

/** Looks into the database of a running service from outside. */
export interface DatabaseWatch {
  /** Returns a number that is another after every commit of the service. */
  version(): Promise<number>;
  /** Returns everything in every table, as text. */
  dump(): Promise<string>;
  close(): Promise<void>;
}

/** Opens a look into the database of a service. */
export async function watchDatabase({ address }: Pick<Marquee, "address">): Promise<DatabaseWatch> {
  const db = openDatabase(address);
  const version = address.engine === "sqlite" ? sql`pragma data_version` : await countCommits(db);
  return {
    async version() {
      const { rows } = await version.execute(db);
      return Number(Object.values(rows[0] ?? {})[0]);
    },
    dump: () => dumpDatabase(address),
    close: () => db.destroy(),
  };
}

/** Lets PostgreSQL count the rows that commits change; returns the statement that reads the number. */
async function countCommits(db: Kysely<Schema>) {
  await sql`create sequence commit_count`.execute(db);
  await sql`
    create function count_commit() returns trigger language plpgsql as
    $$ begin perform nextval('commit_count'); return null; end $$
  `.execute(db);
  for (const { name } of await listTables(db)) {
    await sql`
      create constraint trigger count_commit after insert or update or delete on ${sql.table(name)}
      deferrable initially deferred for each row execute function count_commit()
    `.execute(db);
  }
  return sql`select last_value from commit_count`;
}
