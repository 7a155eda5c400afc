import type { Transaction } from "kysely";
import { notFound } from "../../domain/errors.ts";
import type { Schema } from "./schema.ts";

/** Moves a project's change counter and returns the new value: the revision of what is written. */
export async function nextRevision(tx: Transaction<Schema>, projectId: string): Promise<number> {
  const row = await tx
    .updateTable("project")
    .set((eb) => ({ revision: eb("revision", "+", 1) }))
    .where("id", "=", projectId)
    .returning("revision")
    .executeTakeFirst();
  if (row === undefined) throw notFound(`project ${projectId}`);
  return row.revision;
}
