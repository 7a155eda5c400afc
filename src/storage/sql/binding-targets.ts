import type { Kysely, Transaction } from "kysely";
import { parseResourceKey } from "../../domain/resource-key.ts";
import type { Schema } from "./schema.ts";

/** The columns of a binding that tell what it is on. */
export function toTargetColumns(resourceKey: string) {
  const { type, id, projectId = "" } = parseResourceKey(resourceKey);
  return { resource_type: type, resource_id: id, project_id: projectId };
}

/**
 * Deletes the bindings on resources that are deleted, and on everything in a project: a resource that is
 * made again under the same id must not be open to whom the first one was.
 */
export async function eraseBindingsOn(
  tx: Transaction<Schema>,
  type: string,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return;
  await tx
    .deleteFrom("binding")
    .where("resource_type", "=", type)
    .where("resource_id", "in", [...ids])
    .execute();
  if (type !== "project") return;
  await tx
    .deleteFrom("binding")
    .where("project_id", "in", [...ids])
    .where("project_id", "<>", "")
    .execute();
}

/** Lists the bindings that make accounts owners of a whole organization, by id. */
export async function selectOwnerBindings(db: Kysely<Schema>, organizationId: string) {
  return await db
    .selectFrom("binding")
    .select(["id", "account_id"])
    .where("resource_type", "=", "organization")
    .where("resource_id", "=", organizationId)
    .where("role_id", "=", "owner")
    .orderBy("id")
    .execute();
}
