import type { Transaction } from "kysely";
import { notFound } from "../../domain/errors.ts";
import type { Schema } from "./schema.ts";

/** What counts the changes of everything in it. */
export type Counter = "organization" | "project";

/** Tells whether documents of a type count the changes of everything in them. */
export function isCounter(type: string): type is Counter {
  return type === "organization" || type === "project";
}

/** Gives the first revision of a new organization or project: none that one of its id ever had. */
export async function firstRevision(
  tx: Transaction<Schema>,
  type: Counter,
  id: string,
): Promise<number> {
  const row = await tx
    .selectFrom("retired_counter")
    .select("change_count")
    .where("type", "=", type)
    .where("id", "=", id)
    .executeTakeFirst();
  return (row?.change_count ?? 0) + 1;
}

/** Remembers an organization or project that is about to be deleted: how far its counter came, and its uid. */
export async function retireCounter(
  tx: Transaction<Schema>,
  type: Counter,
  id: string,
): Promise<void> {
  const last = await tx
    .selectFrom(type)
    .select(["change_count", "uid"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  await tx
    .insertInto("retired_counter")
    .values({ type, id, ...last })
    .onConflict((it) => it.columns(["type", "id"]).doUpdateSet(last))
    .execute();
}

/** Moves a project's change counter and returns the new value: the revision of what is written. */
export function nextRevision(tx: Transaction<Schema>, projectId: string): Promise<number> {
  return countChange(tx, "project", projectId);
}

/** Does the same for what belongs to an organization and to no project. */
export function nextOrganizationRevision(
  tx: Transaction<Schema>,
  organizationId: string,
): Promise<number> {
  return countChange(tx, "organization", organizationId);
}

async function countChange(tx: Transaction<Schema>, table: Counter, id: string): Promise<number> {
  const row = await tx
    .updateTable(table)
    .set((eb) => ({ change_count: eb("change_count", "+", 1) }))
    .where("id", "=", id)
    .returning("change_count")
    .executeTakeFirst();
  if (row === undefined) throw notFound(`${table} ${id}`);
  return row.change_count;
}
