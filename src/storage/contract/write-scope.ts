import { INSTALLATION, type ResourceRef } from "../../domain/access/permissions.ts";

/**
 * The scope that a transaction may write. Transactions with overlapping scopes exclude each other. The scope of an
 * organization contains all of its projects, the scope of the installation contains everything, and an empty list of
 * projects excludes no other transaction. A long transaction is committed on its own, as every one beyond projects.
 */
export type WriteScope =
  | {
      readonly projectIds: readonly string[];
      /** The organization of the projects, if it is known. */
      readonly owner?: string;
      readonly isLong?: boolean;
    }
  | { readonly organizationId: string }
  | "installation";

/** Excludes no other write: for single statements that decide and write at once. */
export const UNLOCKED: WriteScope = { projectIds: [] };

/** Returns the owner of the writes of a scope: owners take turns. It is the organization, or a project of an unknown one. */
export function ownerOf(scope: WriteScope): string {
  if (scope === "installation") return "";
  return "organizationId" in scope
    ? scope.organizationId
    : (scope.owner ?? scope.projectIds[0] ?? "");
}

/** Returns the narrowest scope for writing resources and their children. */
export function toWriteScope(resources: readonly ResourceRef[]): WriteScope {
  const projectIds = resources.map(({ projectId }) => projectId).filter((id) => id !== undefined);
  const [organizationId, ...others] = new Set(resources.map((it) => it.organizationId));
  if (projectIds.length === resources.length && projectIds.length > 0) {
    return { projectIds, ...(organizationId !== undefined && { owner: organizationId }) };
  }
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
