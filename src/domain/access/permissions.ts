/** Names a resource together with what it lies in. */
export interface ResourceRef {
  /** The singular type of a resource key: `page_component`, `project`, `organization`. */
  readonly type: string;
  readonly id: string;
  readonly organizationId: string;
  /** Absent on an organization; on a project its own id. */
  readonly projectId?: string;
}

/** The installation: what everything lies in. Whoever has a role with the permission may act on it. */
export const INSTALLATION: ResourceRef = {
  type: "installation",
  id: "installation",
  organizationId: "",
};

/** What a binding grants, and where. An absent part means everything below the part before it. */
export interface Binding {
  readonly permissions: ReadonlySet<string>;
  readonly organizationId: string;
  readonly projectId?: string;
  readonly resource?: { readonly type: string; readonly id: string };
}

/**
 * What an account may do with a resource: `granted`; `denied` when it has some role where the
 * resource lies, but not this permission; `hidden` when it has none, so that it must not learn that
 * the resource exists.
 */
export type AccessDecision = "granted" | "denied" | "hidden";

/** Tells whether a text has the form `<area>.<resource>.<verb>`: three words of a-z, 0-9 and `_`. */
export function isPermissionName(text: string): boolean {
  const words = text.split(".");
  return words.length === 3 && words.every((word) => /^[a-z][a-z0-9_]*$/.test(word));
}

/** Decides one permission on one resource; what an ancestor grants counts (SPEC Authentication 4). */
export function decideAccess(
  bindings: readonly Binding[],
  resource: ResourceRef,
  permission: string,
): AccessDecision {
  if (bindings.some((it) => covers(it, resource) && it.permissions.has(permission))) {
    return "granted";
  }
  if (resource.type === INSTALLATION.type) return "denied";
  return bindings.some((it) => touches(it, resource)) ? "denied" : "hidden";
}

/** Picks the permissions that the bindings grant on a resource, in the order asked, each once. */
export function heldPermissions(
  bindings: readonly Binding[],
  resource: ResourceRef,
  asked: readonly string[],
): string[] {
  const covering = bindings.filter((it) => covers(it, resource));
  return [...new Set(asked)].filter((name) => covering.some((it) => it.permissions.has(name)));
}

function covers(binding: Binding, resource: ResourceRef): boolean {
  if (resource.type === INSTALLATION.type) return true;
  if (binding.organizationId !== resource.organizationId) return false;
  if (binding.projectId === undefined) return true;
  if (binding.projectId !== resource.projectId) return false;
  if (binding.resource === undefined) return true;
  return binding.resource.type === resource.type && binding.resource.id === resource.id;
}

/** A binding on one resource of a project does not reveal the project's other resources. */
function touches(binding: Binding, resource: ResourceRef): boolean {
  return covers(binding, resource) || isBelow(binding, resource);
}

function isBelow(binding: Binding, resource: ResourceRef): boolean {
  if (binding.organizationId !== resource.organizationId) return false;
  if (resource.type === "organization") return true;
  return resource.type === "project" && binding.projectId === resource.id;
}
