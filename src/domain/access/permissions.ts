import { Code, DomainError } from "../base/errors.ts";
import { checkField } from "../base/field-errors.ts";
import { clip } from "../base/text.ts";

/** A resource and its parents. */
export interface ResourceRef {
  /** The singular type of a resource key: `page_component`, `project`, `organization`. */
  readonly kind: string;
  readonly id: string;
  readonly organizationId: string;
  /** Absent on an organization; on a project its own id. */
  readonly projectId?: string;
}

/** The installation, the parent of every organization. A permission granted on it applies everywhere. */
export const INSTALLATION: ResourceRef = {
  kind: "installation",
  id: "installation",
  organizationId: "",
};

/** A parsed resource key (contract: access 7). */
export interface ResourceKey {
  readonly kind: string;
  readonly id: string;
  /** Absent on an organization; on a project its own id. */
  readonly projectId?: string;
}

/**
 * Parses `<organization_id>/organization` or `<resource_id>/<project_id>/<resource_type>`.
 * INVALID_ARGUMENT `RESOURCE_KEY_MALFORMED` for any other form, including a project whose two ids differ.
 */
export function parseResourceKey(text: string): ResourceKey {
  const parts = text.split("/");
  const [id = "", second = "", kind = ""] = parts;
  if (parts.every((part) => part !== "")) {
    if (parts.length === 2 && second === "organization") return { kind: "organization", id };
    if (parts.length === 3 && isKindBelowProject(kind) && (kind !== "project" || id === second)) {
      return { kind, id, projectId: second };
    }
  }
  const description = `'${clip(text)}' must have the form '<organization_id>/organization' or '<resource_id>/<project_id>/<resource_type>'`;
  throw new DomainError(Code.INVALID_ARGUMENT, "RESOURCE_KEY_MALFORMED", description, {
    metadata: { resource_key: text },
  });
}

/** Writes the key of a resource. */
export function printResourceKey(key: ResourceKey): string {
  return key.projectId === undefined
    ? `${key.id}/${key.kind}`
    : `${key.id}/${key.projectId}/${key.kind}`;
}

function isKindBelowProject(kind: string): boolean {
  return kind !== "organization" && /^[a-z][a-z0-9_]*$/.test(kind);
}

/** The permissions of a binding and its scope; an absent level includes everything below the one above. */
export interface Binding {
  readonly permissions: ReadonlySet<string>;
  readonly organizationId: string;
  readonly projectId?: string;
  readonly resource?: { readonly kind: string; readonly id: string };
}

/**
 * The result of an access check.
 * - `granted`: the account has the permission.
 * - `denied`: the account has some role on the resource or a parent, but not this permission.
 * - `hidden`: the account has no role there and must not learn that the resource exists.
 */
export type AccessDecision = "granted" | "denied" | "hidden";

/** Maximum number of permissions in one test (contract: limits 7). */
const MAX_TESTED = 100;

/** Reports whether a text has the form `<area>.<resource>.<verb>`: three words of a-z, 0-9 and `_`. */
export function isPermissionName(text: string): boolean {
  const words = text.split(".");
  return words.length === 3 && words.every((word) => /^[a-z][a-z0-9_]*$/.test(word));
}

/**
 * Checks the permissions of a test: 1 to 100, each `<area>.<resource>.<verb>` without wildcards. INVALID_ARGUMENT
 * `PERMISSION_COUNT_INVALID` or `PERMISSION_NAME_MALFORMED`.
 */
export function checkTestedPermissions(names: readonly string[]): void {
  const isCount = names.length > 0 && names.length <= MAX_TESTED;
  const count = `must have 1 to ${MAX_TESTED} permissions, not ${names.length}`;
  checkField(isCount, "permissions", "PERMISSION_COUNT_INVALID", count);
  for (const name of names) {
    const form = `'${clip(name)}' must have the form <area>.<resource>.<verb>; wildcards are not allowed`;
    checkField(isPermissionName(name), "permissions", "PERMISSION_NAME_MALFORMED", form);
  }
}

/** Decides one permission on one resource; parents' bindings are inherited (contract: access 4). */
export function decideAccess(
  bindings: readonly Binding[],
  resource: ResourceRef,
  permission: string,
): AccessDecision {
  if (bindings.some((it) => covers(it, resource) && it.permissions.has(permission))) {
    return "granted";
  }
  if (resource.kind === INSTALLATION.kind) return "denied";
  return bindings.some((it) => touches(it, resource)) ? "denied" : "hidden";
}

/** Filters the permissions that the bindings grant on a resource, in the order asked, without duplicates. */
export function heldPermissions(
  bindings: readonly Binding[],
  resource: ResourceRef,
  asked: readonly string[],
): string[] {
  const covering = bindings.filter((it) => covers(it, resource));
  return [...new Set(asked)].filter((name) => covering.some((it) => it.permissions.has(name)));
}

function covers(binding: Binding, resource: ResourceRef): boolean {
  if (resource.kind === INSTALLATION.kind) return true;
  if (binding.organizationId !== resource.organizationId) return false;
  if (binding.projectId === undefined) return true;
  if (binding.projectId !== resource.projectId) return false;
  if (binding.resource === undefined) return true;
  return binding.resource.kind === resource.kind && binding.resource.id === resource.id;
}

/** A binding on one resource of a project does not reveal the project's other resources. */
function touches(binding: Binding, resource: ResourceRef): boolean {
  return covers(binding, resource) || isBelow(binding, resource);
}

function isBelow(binding: Binding, resource: ResourceRef): boolean {
  if (binding.organizationId !== resource.organizationId) return false;
  if (resource.kind === "organization") return true;
  return resource.kind === "project" && binding.projectId === resource.id;
}
