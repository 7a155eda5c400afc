import { sql } from "kysely";
import type { Db } from "../db/db.ts";

/** Returns the bytes of each table with its indexes and large values, which the server knows from its files. */
export async function readTableSizes(read: Db): Promise<ReadonlyMap<string, number>> {
  const rows = await read.all(SELECT_SIZES);
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}

const SELECT_SIZES = sql<{ readonly name: string; readonly bytes: number }>`
  select relname as name, pg_total_relation_size(oid) as bytes
  from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'
`;
