import type { Role } from "../../../gen/svc/studio/iam/role/v1/role_pb.ts";
import { invalidField } from "../errors.ts";
import { clip } from "../messages/clip.ts";
import { suggestNames } from "../messages/near-names.ts";
import { PERMISSIONS } from "./roles.ts";

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

/** Lists the permissions that a change adds to a role. */
export function addedPermissions(before: Role, after: Role): string[] {
  const known = new Set(before.permissions);
  return after.permissions.filter((name) => !known.has(name));
}
