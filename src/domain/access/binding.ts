import type { Binding } from "../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import { Code, DomainError } from "../base/errors.ts";
import { blameField, checkField } from "../base/field-errors.ts";
import { parseResourceKey } from "./permissions.ts";

/** Types of resources that the service creates and deletes by itself: a binding would outlive them. */
const UNBINDABLE: ReadonlySet<string> = new Set(["action_run", "entitlement"]);

/** The most bindings of an account: each of its calls reads all. */
export const MAX_BINDINGS = 1_000;

/** The most different roles of an account's bindings: each of its calls reads their permissions. */
export const MAX_ROLES = 50;

/** Checks the resource of a binding; errors name fields below `path`. INVALID_ARGUMENT `RESOURCE_TYPE_INVALID`. */
export function checkBinding({ resourceKey }: Binding, path: string): void {
  const field = `${path}.resource_key`;
  const key = blameField(field, () => parseResourceKey(resourceKey));
  const description = `a single ${key.kind} cannot have bindings; bind the role on its project`;
  checkField(!UNBINDABLE.has(key.kind), field, "RESOURCE_TYPE_INVALID", description);
}

/**
 * Checks that an organization with owners keeps at least one; `leaves` marks those that go.
 * FAILED_PRECONDITION `LAST_OWNER`: without an owner, no account could grant access.
 */
export function checkOwnerRemains<T>(
  organizationId: string,
  owners: readonly T[],
  leaves: (owner: T) => boolean,
): void {
  if (owners.length === 0 || !owners.every(leaves)) return;
  throw new DomainError(
    Code.FAILED_PRECONDITION,
    "LAST_OWNER",
    `organization ${organizationId} must keep an owner; grant the owner role to another account first`,
    { metadata: { resource: `organization/${organizationId}` } },
  );
}
