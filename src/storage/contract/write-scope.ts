import { INSTALLATION, type ResourceRef } from "../../domain/access/permissions.ts";

/**
 * The scope that a transaction may write. Transactions with overlapping scopes exclude each other. The scope of an
 * organization contains all of its projects, the scope of the installation contains everything, and an empty list of
 * projects excludes no other transaction. A long transaction is committed on its own, as every one beyond projects.
 */
export type WriteScope =
  | { readonly projectIds: readonly string[]; readonly isLong?: boolean }
  | { readonly organizationId: string }
  | "installation";

/** Excludes no other write: for single statements that decide and write at once. */
export const UNLOCKED: WriteScope = { projectIds: [] };

/** Returns the narrowest scope for writing resources and their children. */
export function toWriteScope(resources: readonly ResourceRef[]): WriteScope {
  const projectIds = resources.map(({ projectId }) => projectId).filter((id) => id !== undefined);
  if (projectIds.length === resources.length && projectIds.length > 0) return { projectIds };
  const [organizationId, ...others] = new Set(resources.map((it) => it.organizationId));
  const isOne = organizationId !== undefined && others.length === 0;
  return isOne && organizationId !== INSTALLATION.organizationId
    ? { organizationId }
    : "installation";
}

/**
 * Returns the scope for writing a resource itself: a project is changed and deleted in the scope of its organization.
 */
export function scopeAround(resource: ResourceRef): WriteScope {
  const { projectId: _, ...ofOrganization } = resource;
  return toWriteScope([resource.kind === "project" ? ofOrganization : resource]);
}
