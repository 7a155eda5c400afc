import { Code, DomainError } from "../errors.ts";

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
