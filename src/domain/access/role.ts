import type { Role } from "../../../gen/svc/studio/iam/role/v1/role_pb.ts";
import { invalidField } from "../errors.ts";
import { clip } from "../messages/clip.ts";
import { suggestNames } from "../messages/near-names.ts";
import { OPERATING, PERMISSIONS } from "./roles.ts";

/**
 * Checks that the permissions of a role exist and are not repeated. INVALID_ARGUMENT
 * `PERMISSION_UNKNOWN` or `PERMISSION_REPEATED`, at the field below `path`.
 */
export function checkRole({ permissions }: Role, path: string): void {
  for (const [index, name] of permissions.entries()) {
    const field = `${path}.permissions[${index}]`;
    if (!PERMISSIONS.has(name)) {
      throw invalidField(
        field,
        "PERMISSION_UNKNOWN",
        `unknown permission '${clip(name)}'${suggestNames(name, PERMISSIONS)}`,
      );
    }
    if (permissions.indexOf(name) < index) {
      throw invalidField(field, "PERMISSION_REPEATED", `'${name}' is already in the list`);
    }
  }
}

/**
 * Checks that a role does not name the permission that only `operator` gives. INVALID_ARGUMENT
 * `PERMISSION_RESERVED`.
 */
export function checkNotReserved({ permissions }: Role): void {
  const index = permissions.indexOf(OPERATING);
  if (index < 0) return;
  const description = `only the role 'operator' gives '${OPERATING}'; omit it, and bind that role instead`;
  throw invalidField(`role.permissions[${index}]`, "PERMISSION_RESERVED", description);
}

/**
 * Lists the permissions that a stored role gives: those that it names, except the one that only `operator`
 * gives, which no role can get but by a fault.
 */
export function givenPermissions({ permissions }: Pick<Role, "permissions">): string[] {
  return permissions.filter((name) => name !== OPERATING);
}

/** Lists the permissions that a change of a role gives to those who are bound to it, or takes from them. */
export function movedPermissions(before: Role, after: Role): string[] {
  return [
    ...after.permissions.filter((name) => !before.permissions.includes(name)),
    ...givenPermissions(before).filter((name) => !after.permissions.includes(name)),
  ];
}
