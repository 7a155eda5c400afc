const READ = ["get", "list"];
const WRITE = ["create", "update", "delete"];
/** What asks a question that is too large for a path and changes nothing. */
const SIMULATE = ["simulate"];
/** The verbs that change nothing. */
const READ_ONLY = [...READ, ...SIMULATE];

/** Every collection that has permissions, with the verbs that exist for it. */
const COLLECTIONS: Readonly<Record<string, readonly string[]>> = {
  "annotations.action_runs": [...READ, "replay"],
  "annotations.actions": [...READ, ...WRITE],
  "annotations.annotations": [...READ, ...WRITE],
  "annotations.types": [...READ, ...WRITE],
  "cms.creative_works": [...READ, ...WRITE],
  "cms.entities": [...READ, ...WRITE],
  "cms.events": [...READ, ...WRITE],
  "iam.access_tokens": [...READ, "create", "revoke"],
  "iam.accounts": [...READ, ...WRITE],
  "iam.audit": ["list"],
  "iam.bindings": [...READ, "create", "delete"],
  "iam.organizations": ["get", "create", "update", "delete"],
  "iam.project_keys": [...READ, ...WRITE],
  "iam.projects": [...READ, ...WRITE],
  "iam.roles": [...READ, ...WRITE],
  "iam.sso": ["get", "update"],
  "monetization.billing_integrations": ["get", "update"],
  "monetization.entitlements": [...READ, "create", "delete"],
  "monetization.offers": [...READ, ...WRITE],
  "monetization.transactions": [...READ, "create", "capture", "refund", "cancel"],
  "ott.banner_collections": [...READ, ...WRITE],
  "ott.page_components": [...READ, ...WRITE],
  "ott.pages": [...READ, ...WRITE],
  "streaming.rulesets": [...READ, ...WRITE, ...SIMULATE],
  "streaming.videos": [...READ, ...WRITE],
};

/** What only who runs the installation may do. */
const OPERATING = "iam.organizations.create";

/** A named set of permissions. */
export interface BuiltInRole {
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly permissions: readonly string[];
}

const ALL = Object.entries(COLLECTIONS).flatMap(([collection, verbs]) =>
  verbs.map((verb) => `${collection}.${verb}`),
);

/** Tells whether a permission lets nobody change anything. */
export function isReadOnly(permission: string): boolean {
  return READ_ONLY.some((verb) => permission.endsWith(`.${verb}`));
}

/** Who may give access could give themselves any: an editor may not. */
const givesAccess = (name: string) => name.startsWith("iam.") && name !== "iam.sso.update";

/** Every permission name that a method or a role may use. */
export const PERMISSIONS: ReadonlySet<string> = new Set(ALL);

/**
 * The roles that every organization has: `owner` may do everything in it, `editor` all but give access,
 * `viewer` reads, and `operator` makes organizations.
 */
export const BUILT_IN_ROLES: readonly BuiltInRole[] = [
  { id: "owner", name: "Owner", permissions: ALL.filter((name) => name !== OPERATING) },
  {
    id: "editor",
    name: "Editor",
    permissions: ALL.filter((name) => isReadOnly(name) || !givesAccess(name)),
  },
  { id: "viewer", name: "Viewer", permissions: ALL.filter(isReadOnly) },
  { id: "operator", name: "Operator", permissions: [OPERATING] },
];

/** Tells whether permissions hold what only `operator` gives: to make organizations. */
export function canOperate(permissions: readonly string[]): boolean {
  return permissions.includes(OPERATING);
}

/** Finds a built-in role. */
export function findBuiltInRole(id: string): BuiltInRole | undefined {
  return BUILT_IN_ROLES.find((role) => role.id === id);
}
