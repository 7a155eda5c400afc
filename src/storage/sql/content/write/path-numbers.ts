import type { Transaction } from "kysely";
import type { Schema } from "../../schema.ts";
import { isInValues } from "../content-values.ts";

/** The numbers of a collection's paths, as one transaction sees them. */
export interface PathNumbers {
  /** Reads the numbers of paths; those that were asked for before are not read again. */
  read(names: readonly string[]): Promise<void>;
  /** Finds the number of a path that was read or created. */
  find(name: string): number | undefined;
  /** Gives a path that has no number the next one. */
  create(name: string): Promise<number>;
  /** Lists those numbers that were read or created whose values the table of values leaves out. */
  leftOut(): readonly number[];
}

/** How many paths one statement asks for. */
const CHUNK = 500;

/** Opens the paths of a collection. It may have very many: only those that are used are read. */
export function openPathNumbers(tx: Transaction<Schema>, collection: number): PathNumbers {
  const numbers = new Map<string, number>();
  const asked = new Set<string>();
  return {
    async read(names) {
      const fresh = names.filter((name) => !asked.has(name));
      for (let from = 0; from < fresh.length; from += CHUNK) {
        const chunk = fresh.slice(from, from + CHUNK);
        const rows = await tx
          .selectFrom("content_path")
          .select(["path", "name"])
          .where("collection", "=", collection)
          .where("name", "in", chunk)
          .execute();
        for (const { name, path } of rows) numbers.set(name, path);
        for (const name of chunk) asked.add(name);
      }
    },
    find: (name) => numbers.get(name),
    async create(name) {
      const { path } = await tx
        .insertInto("content_path")
        .values({ collection, name })
        .returning("path")
        .executeTakeFirstOrThrow();
      numbers.set(name, path);
      return path;
    },
    leftOut: () => [...numbers].flatMap(([name, path]) => (isInValues(name) ? [] : [path])),
  };
}
