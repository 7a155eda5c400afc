import { Code, DomainError } from "../errors.ts";

/**
 * Checks that an organization which has owners keeps one, when `leaves` tells which of them go.
 * FAILED_PRECONDITION `LAST_OWNER`: nobody could let anybody in any more.
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
    `organization ${organizationId} would have no owner left; make another account owner first`,
    { metadata: { resource: `organization/${organizationId}` } },
  );
}
