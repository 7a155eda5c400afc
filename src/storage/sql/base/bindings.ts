import { sql } from "kysely";
import { parseResourceKey, type ResourceRef } from "../../../domain/access/permissions.ts";
import type { Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";

/** The columns of a binding that identify its resource. */
export function toTargetColumns(resourceKey: string) {
  const { kind, id, projectId = "" } = parseResourceKey(resourceKey);
  return { resource_type: kind, resource_id: id, project_id: projectId };
}

/**
 * Deletes the bindings on a deleted resource, and on everything in a deleted project, so that a new resource with the
 * same id does not inherit them. Bindings of another organization, or on the same id in another project, are on other
 * resources.
 */
export async function eraseBindingsOn(
  tx: Tx,
  { kind, id, organizationId, projectId = "" }: ResourceRef,
): Promise<void> {
  const bindings = build
    .deleteFrom("binding")
    .where("organization_id", "=", organizationId)
    .where("project_id", "=", projectId);
  const onResource =
    kind === "project"
      ? bindings.where("project_id", "<>", sql.lit(""))
      : bindings.where("resource_type", "=", kind).where("resource_id", "=", id);
  await tx.run(onResource);
}
