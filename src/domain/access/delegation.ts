import { Code, DomainError } from "../errors.ts";
import { printResourceKey } from "../messages/resource-key.ts";
import { type Binding, heldPermissions, type ResourceRef } from "./permissions.ts";

/** How many permissions an error lists. */
const LISTED = 20;

/**
 * Checks that who gives permissions on a resource holds all of them there: nobody gives what they do
 * not have. PERMISSION_DENIED `PERMISSION_NOT_HELD`, with the first 20 that lack in its metadata.
 */
export function checkHeld(
  held: readonly Binding[],
  resource: ResourceRef,
  given: Iterable<string>,
): void {
  const asked = [...new Set(given)];
  const own = new Set(heldPermissions(held, resource, asked));
  const lacking = asked.filter((name) => !own.has(name));
  if (lacking.length === 0) return;
  const listed = lacking.slice(0, LISTED);
  const more = lacking.length > LISTED ? ` and ${lacking.length - LISTED} more` : "";
  const key = printResourceKey(resource);
  throw new DomainError(
    Code.PERMISSION_DENIED,
    "PERMISSION_NOT_HELD",
    `nobody gives what they do not hold: ${listed.join(", ")}${more} on '${key}'`,
    { metadata: { resource: key, permissions: listed.join(","), count: String(lacking.length) } },
  );
}

/**
 * Checks that who acts in the name of an account may themselves do all that it may: each permission of
 * each of its bindings, where the binding holds. PERMISSION_DENIED `PERMISSION_NOT_HELD`.
 */
export function checkCovers(held: readonly Binding[], account: readonly Binding[]): void {
  for (const binding of account) checkHeld(held, resourceOf(binding), binding.permissions);
}

/** Tells what a binding is on. */
function resourceOf({ organizationId, projectId, resource }: Binding): ResourceRef {
  if (projectId === undefined) {
    return { type: "organization", id: organizationId, organizationId };
  }
  return { type: "project", id: projectId, ...resource, organizationId, projectId };
}
