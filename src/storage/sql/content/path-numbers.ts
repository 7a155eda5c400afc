import type { Transaction } from "kysely";
import type { Schema } from "../schema.ts";
import { isInValues } from "./content-values.ts";

/** The numbers of a collection's paths, as one transaction sees them. */
export interface PathNumbers {
  find(name: string): number | undefined;
  /** Gives a path that has no number the next one. */
  create(name: string): Promise<number>;
  /** Lists the numbers of the few paths whose values the table of values leaves out. */
  leftOut(): readonly number[];
}

/** Reads the paths of a collection. */
export async function openPathNumbers(
  tx: Transaction<Schema>,
  collection: number,
): Promise<PathNumbers> {
  const rows = await tx
    .selectFrom("content_path")
    .select(["path", "name"])
    .where("collection", "=", collection)
    .execute();
  const numbers = new Map(rows.map(({ name, path }) => [name, path]));
  return {
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
