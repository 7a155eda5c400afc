import { sql } from "kysely";
import type { Binding } from "../../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import { MAX_ROLES } from "../../../domain/access/binding.ts";
import { parseResourceKey, type ResourceRef } from "../../../domain/access/permissions.ts";
import { Code, DomainError } from "../../../domain/base/errors.ts";
import type { Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";

/** The columns of a binding that identify its resource. */
export function toTargetColumns(resourceKey: string) {
  const { kind, id, projectId = "" } = parseResourceKey(resourceKey);
  return { resource_type: kind, resource_id: id, project_id: projectId };
}

/** Checks that an account has no more roles than it may with a new binding. RESOURCE_EXHAUSTED `BINDING_LIMIT`. */
export async function checkRolesFit(tx: Tx, binding: Binding): Promise<void> {
  const { organizationId, accountOrganizationId, accountId, roleId } = binding;
  const others = build
    .selectFrom("binding")
    .select(["organization_id", "role_id"])
    .distinct()
    .where("account_organization_id", "=", accountOrganizationId || organizationId)
    .where("account_id", "=", accountId)
    .where((role) =>
      role.or([role("organization_id", "<>", organizationId), role("role_id", "<>", roleId)]),
    );
  if ((await tx.all(others.limit(MAX_ROLES))).length < MAX_ROLES) return;
  const message = `the account has ${MAX_ROLES} different roles, the most that are allowed; add permissions to one of them`;
  throw new DomainError(Code.RESOURCE_EXHAUSTED, "BINDING_LIMIT", message);
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
