import type { Role } from "../../../gen/svc/studio/iam/role/v1/role_pb.ts";
import { Code, DomainError } from "../base/errors.ts";
import { checkField, invalidField } from "../base/field-errors.ts";
import { clip, suggestNames } from "../base/text.ts";
import {
  type Binding,
  heldPermissions,
  printResourceKey,
  type ResourceRef,
} from "./permissions.ts";

/** The verbs that change nothing; queries that need a request body are simulated. */
const READ_ONLY = ["get", "list", "preview", "simulate"];

/** The permission of operators of the installation. Only the built-in role `operator` grants it. */
export const OPERATING = "iam.organizations.create";

/** Reports whether a permission allows reading only. */
export function isReadOnly(permission: string): boolean {
  return READ_ONLY.some((verb) => permission.endsWith(`.${verb}`));
}

/**
 * Checks that the permissions of a role are among all and are not repeated. INVALID_ARGUMENT
 * `PERMISSION_UNKNOWN` or `PERMISSION_REPEATED`, at the field below `path`.
 */
export function checkRole({ permissions }: Role, path: string, all: ReadonlySet<string>): void {
  for (const [index, name] of permissions.entries()) {
    const field = `${path}.permissions[${index}]`;
    if (!all.has(name)) {
      const unknown = `unknown permission '${clip(name)}'${suggestNames(name, all)}`;
      throw invalidField(field, "PERMISSION_UNKNOWN", unknown);
    }
    const isFirst = permissions.indexOf(name) === index;
    checkField(isFirst, field, "PERMISSION_REPEATED", `'${name}' is already in the list`);
  }
}

/**
 * Checks that a role does not name the permission that only `operator` grants. INVALID_ARGUMENT
 * `PERMISSION_RESERVED`.
 */
export function checkNotReserved({ permissions }: Role): void {
  const index = permissions.indexOf(OPERATING);
  if (index < 0) return;
  const description = `only the role 'operator' gives '${OPERATING}'; omit it, and bind that role instead`;
  throw invalidField(`role.permissions[${index}]`, "PERMISSION_RESERVED", description);
}

/**
 * Lists the permissions that a stored role grants. The permission that only `operator` grants is ignored: a role
 * contains it only by mistake.
 */
export function givenPermissions({ permissions }: Pick<Role, "permissions">): string[] {
  return permissions.filter((name) => name !== OPERATING);
}

/** Lists the permissions that a change of a role grants to its accounts or takes from them. */
export function movedPermissions(before: Role, after: Role): string[] {
  return [
    ...after.permissions.filter((name) => !before.permissions.includes(name)),
    ...givenPermissions(before).filter((name) => !after.permissions.includes(name)),
  ];
}

/** Maximum number of permissions that an error lists. */
const LISTED = 20;

/**
 * Checks that a caller has, on the resource, every permission that they give or take there. PERMISSION_DENIED
 * `PERMISSION_NOT_HELD`, with the first 20 missing permissions in its metadata.
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
    `cannot give or take permissions that you do not have on '${key}': ${listed.join(", ")}${more}`,
    { metadata: { resource: key, permissions: listed.join(","), count: String(missing.length) } },
  );
}

/**
 * Checks that a caller may act for an account or end it: the caller has every permission of each of its bindings, on
 * the binding's resource. PERMISSION_DENIED `PERMISSION_NOT_HELD`.
 */
export function checkImpersonation(held: readonly Binding[], account: readonly Binding[]): void {
  for (const binding of account) checkDelegation(held, resourceOf(binding), binding.permissions);
}

/** Returns the resource that a binding applies to. */
function resourceOf({ organizationId, projectId, resource }: Binding): ResourceRef {
  if (projectId === undefined) {
    return { kind: "organization", id: organizationId, organizationId };
  }
  return { kind: "project", id: projectId, ...resource, organizationId, projectId };
}
