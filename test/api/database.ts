import Database from "better-sqlite3";
import type { Marquee } from "../harness/marquee.ts";

/** Looks into the database of a running service from outside. */
export interface DatabaseWatch {
  /** A number that is another after every commit of the service. */
  version(): number;
  /** Everything in every table, as text. */
  dump(): string;
  close(): void;
}

/** Opens a look into the database of a service. */
export function watchDatabase({ databasePath }: Pick<Marquee, "databasePath">): DatabaseWatch {
  const db = new Database(databasePath, { readonly: true });
  db.defaultSafeIntegers(true);
  return {
    version: () => Number(db.pragma("data_version", { simple: true })),
    dump() {
      const tables = db
        .prepare(
          "select name from sqlite_master where type = 'table' and name not like '%_search%'",
        )
        .pluck()
        .all() as string[];
      return tables
        .map(
          (name) =>
            `${name}\n${db.prepare(`select * from "${name}"`).all().map(toLine).join("\n")}`,
        )
        .join("\n");
    },
    close: () => db.close(),
  };
}

function toLine(row: unknown): string {
  return JSON.stringify(row, (_, value) => {
    if (typeof value === "bigint") return String(value);
    return value?.type === "Buffer" ? Buffer.from(value.data).toString("base64") : value;
  });
}
