import type { Transaction } from "kysely";
import { notFound } from "../../domain/errors.ts";
import type { Schema } from "./schema.ts";

/** The kinds whose change counter covers everything in them. */
export type Counter = "organization" | "project";

/** Decides whether documents of a kind count the changes of everything in them. */
export function isCounter(type: string): type is Counter {
  return type === "organization" || type === "project";
}

/** Returns the first revision of a new organization or project, above all of earlier ones with its id. */
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

/** Saves the counter and uid of an organization or project that is about to be deleted. */
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

/**
 * Increments the change counter of an organization's project and returns it as the revision of a write.
 * NOT_FOUND if the organization has no such project.
 */
export function nextRevision(
  tx: Transaction<Schema>,
  projectId: string,
  organizationId: string,
): Promise<number> {
  return countChange(tx, "project", projectId, organizationId);
}

/** Increments the change counter of a project of any organization. */
export function nextProjectRevision(tx: Transaction<Schema>, projectId: string): Promise<number> {
  return countChange(tx, "project", projectId);
}

/** Increments an organization's change counter, for resources outside its projects. */
export function nextOrganizationRevision(
  tx: Transaction<Schema>,
  organizationId: string,
): Promise<number> {
  return countChange(tx, "organization", organizationId);
}

async function countChange(
  tx: Transaction<Schema>,
  table: Counter,
  id: string,
  organizationId?: string,
): Promise<number> {
  const row = await tx
    .updateTable(table as "project")
    .set((eb) => ({ change_count: eb("change_count", "+", 1) }))
    .where("id", "=", id)
    .$if(organizationId !== undefined, (it) =>
      it.where("organization_id", "=", organizationId ?? ""),
    )
    .returning("change_count")
    .executeTakeFirst();
  if (row === undefined) throw notFound(`${table} ${id}`);
  return row.change_count;
}
