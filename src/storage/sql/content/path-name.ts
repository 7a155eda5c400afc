import { type RawBuilder, sql } from "kysely";

/** The characters of a name that an index holds: in PostgreSQL, an entry takes up to 2,704 bytes. */
const INDEXED = 512;

/** Selects what an index holds of the name of a path. */
export const NAME_START: RawBuilder<string> = sql`substr(name, 1, ${sql.lit(INDEXED)})`;

/** Returns what an index holds of a name, without splitting a character. */
export function toNameStart(name: string): string {
  return name.length <= INDEXED ? name : Array.from(name).slice(0, INDEXED).join("");
}
