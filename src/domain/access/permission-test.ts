import { invalidField } from "../errors.ts";
import { isPermissionName } from "./permissions.ts";

/** How many permissions one test may ask for (CONTRACT 7). */
const MAX_PERMISSIONS = 100;

/**
 * Checks the permissions that a test asks for: 1 to 100 names `<area>.<resource>.<verb>` without
 * wildcards. INVALID_ARGUMENT `PERMISSION_COUNT_INVALID` or `PERMISSION_NAME_MALFORMED`.
 */
export function checkAskedPermissions(names: readonly string[]): void {
  if (names.length === 0 || names.length > MAX_PERMISSIONS) {
    throw invalidField(
      "permissions",
      "PERMISSION_COUNT_INVALID",
      `1 to ${MAX_PERMISSIONS} names are tested at a time, not ${names.length}`,
    );
  }
  const malformed = names.find((name) => !isPermissionName(name));
  if (malformed === undefined) return;
  throw invalidField(
    "permissions",
    "PERMISSION_NAME_MALFORMED",
    `'${malformed}' is not of the form <area>.<resource>.<verb>; wildcards are not allowed`,
  );
}
