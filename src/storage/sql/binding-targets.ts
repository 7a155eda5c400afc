import type { Kysely, Transaction } from "kysely";
import type { ResourceRef } from "../../domain/access/permissions.ts";
import { parseResourceKey } from "../../domain/messages/resource-key.ts";
import type { Schema } from "./schema.ts";
import { sendAhead } from "./send-ahead.ts";

/** The columns of a binding that identify its resource. */
export function toTargetColumns(resourceKey: string) {
  const { type, id, projectId = "" } = parseResourceKey(resourceKey);
  return { resource_type: type, resource_id: id, project_id: projectId };
}

/**
 * Deletes the bindings on a deleted resource, and on everything in a deleted project, so that a new resource
 * of the same id does not inherit them. Bindings of another organization, or on the same id in another
 * project, are on other resources.
 */
export async function eraseBindingsOn(
  tx: Transaction<Schema>,
  { type, id, organizationId, projectId = "" }: ResourceRef,
): Promise<void> {
  const bindings = tx
    .deleteFrom("binding")
    .where("organization_id", "=", organizationId)
    .where("project_id", "=", projectId);
  const own =
    type === "project"
      ? bindings.where("project_id", "<>", "")
      : bindings.where("resource_type", "=", type).where("resource_id", "=", id);
  await sendAhead(tx, own.compile());
}

/** Lists the bindings that grant ownership of an organization, by id. */
export async function selectOwnerBindings(db: Kysely<Schema>, organizationId: string) {
  return await db
    .selectFrom("binding")
    .select(["id", "account_id", "account_organization_id"])
    .where("organization_id", "=", organizationId)
    .where("resource_type", "=", "organization")
    .where("resource_id", "=", organizationId)
    .where("role_id", "=", "owner")
    .orderBy("id")
    .execute();
}
