import { AsyncLocalStorage } from "node:async_hooks";
import type { Kysely, Transaction } from "kysely";
import type { Schema } from "../sql/schema.ts";
import type { SnapshotScope } from "../store.ts";

/** Runs reads in a snapshot. */
export type RunInSnapshot = <T>(
  scope: SnapshotScope,
  run: (tx: Transaction<Schema>) => Promise<T>,
) => Promise<T>;

/** A snapshot that is open around the caller. */
interface Outer {
  readonly tx: Transaction<Schema>;
  isOpen: boolean;
}

/**
 * Creates a runner of snapshots, each with a connection of its own. One that is opened within another reads that
 * one, unless it has to be newer: if each waited for a connection while it holds another, they could wait forever.
 */
export function createSnapshots(read: Kysely<Schema>): RunInSnapshot {
  const outers = new AsyncLocalStorage<Outer>();
  return async (scope, run) => {
    const outer = outers.getStore();
    if (outer?.isOpen && (await isNewEnough(outer.tx, scope))) return run(outer.tx);
    return read.transaction().execute(async (tx) => {
      const own = { tx, isOpen: true };
      try {
        return await outers.run(own, () => run(tx));
      } finally {
        own.isOpen = false;
      }
    });
  };
}

async function isNewEnough(
  tx: Transaction<Schema>,
  { projectId, atLeast = 0 }: SnapshotScope,
): Promise<boolean> {
  if (atLeast === 0) return true;
  const row = await tx
    .selectFrom("project")
    .select("change_count")
    .where("id", "=", projectId)
    .executeTakeFirst();
  return row !== undefined && row.change_count >= atLeast;
}
