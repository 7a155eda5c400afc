import { INSTALLATION, type ResourceRef } from "../domain/access/permissions.ts";

/**
 * What a transaction may write, and so which others it excludes: those whose scope has a part in common
 * with its own. The scope of an organization contains all of its projects, that of the installation
 * contains everything, and no projects at all exclude nobody.
 */
export type WriteScope =
  | { readonly projectIds: readonly string[] }
  | { readonly organizationId: string }
  | "installation";

/** Excludes nobody: for statements that decide and write at once. */
export const UNLOCKED: WriteScope = { projectIds: [] };

/** Returns the narrowest scope in which resources, and what belongs to them, can be written. */
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
 * Returns the scope in which a resource itself is written: a project's changes, its end among them, are
 * its organization's.
 */
export function scopeAround(resource: ResourceRef): WriteScope {
  const { projectId: _, ...ofOrganization } = resource;
  return toWriteScope([resource.type === "project" ? ofOrganization : resource]);
}
