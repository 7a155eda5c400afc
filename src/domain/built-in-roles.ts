import { isReadOnly, OPERATING } from "./access/roles.ts";
import { PERMISSIONS } from "./kinds.ts";

/** A named set of permissions. */
interface BuiltInRole {
  readonly id: string;
  /** Display name. */
  readonly name: string;
  readonly permissions: readonly string[];
}

const ALL = [...PERMISSIONS];

/** Withheld from editors: a holder could grant themselves any permission. */
const givesAccess = (name: string) => name.startsWith("iam.") && name !== "iam.sso.update";

/** The permissions of authors besides reading. Alone, they allow to change drafts only. */
const DRAFTS = [
  "cms.releases.create",
  "cms.releases.update",
  "cms.releases.delete",
  "cms.changes.revert",
];

/**
 * The built-in roles of every organization. `owner` has every permission in it, `editor` all that change nothing in `iam`
 * but sign-in. `author` reads and writes drafts, `viewer` reads, and `operator` creates organizations.
 */
export const BUILT_IN_ROLES: readonly BuiltInRole[] = [
  { id: "owner", name: "Owner", permissions: ALL.filter((name) => name !== OPERATING) },
  {
    id: "editor",
    name: "Editor",
    permissions: ALL.filter((name) => isReadOnly(name) || !givesAccess(name)),
  },
  {
    id: "author",
    name: "Author",
    permissions: ALL.filter((name) => isReadOnly(name) || DRAFTS.includes(name)),
  },
  { id: "viewer", name: "Viewer", permissions: ALL.filter(isReadOnly) },
  { id: "operator", name: "Operator", permissions: [OPERATING] },
];

/** Finds a built-in role by its id. */
export function findBuiltInRole(id: string): BuiltInRole | undefined {
  return BUILT_IN_ROLES.find((role) => role.id === id);
}
