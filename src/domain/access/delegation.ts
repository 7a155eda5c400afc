import { Code, DomainError } from "../errors.ts";
import { printResourceKey } from "../messages/resource-key.ts";
import { type Binding, heldPermissions, type ResourceRef } from "./permissions.ts";

/** Maximum number of permissions that an error lists. */
const LISTED = 20;

/**
 * Checks that a caller holds, on the resource, every permission that they give or take there.
 * PERMISSION_DENIED `PERMISSION_NOT_HELD`, with the first 20 missing permissions in its metadata.
 */
export function checkDelegation(
  held: readonly Binding[],
  resource: ResourceRef,
  moved: Iterable<string>,
): void {
  const asked = [...new Set(moved)];
  const own = new Set(heldPermissions(held, resource, asked));
  const missing = asked.filter((name) => !own.has(name));
  if (missing.length === 0) return;
  const listed = missing.slice(0, LISTED);
  const more = missing.length > LISTED ? ` and ${missing.length - LISTED} more` : "";
  const key = printResourceKey(resource);
  throw new DomainError(
    Code.PERMISSION_DENIED,
    "PERMISSION_NOT_HELD",
    `cannot give or take permissions that you do not hold on '${key}': ${listed.join(", ")}${more}`,
    { metadata: { resource: key, permissions: listed.join(","), count: String(missing.length) } },
  );
}

/**
 * Checks that a caller who acts for an account or ends it holds every permission of each of its bindings, on
 * the binding's resource. PERMISSION_DENIED `PERMISSION_NOT_HELD`.
 */
export function checkImpersonation(held: readonly Binding[], account: readonly Binding[]): void {
  for (const binding of account) checkDelegation(held, resourceOf(binding), binding.permissions);
}

/** Returns the resource that a binding applies to. */
function resourceOf({ organizationId, projectId, resource }: Binding): ResourceRef {
  if (projectId === undefined) {
    return { type: "organization", id: organizationId, organizationId };
  }
  return { type: "project", id: projectId, ...resource, organizationId, projectId };
}
