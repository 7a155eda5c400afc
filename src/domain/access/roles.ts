const READ = ["get", "list"];
const WRITE = ["create", "update", "delete"];
/** The verb of queries that need a request body and change nothing. */
const SIMULATE = ["simulate"];
/** The verbs that change nothing. */
const READ_ONLY = [...READ, ...SIMULATE];

/** Every collection with permissions, and its verbs. */
const COLLECTIONS: Readonly<Record<string, readonly string[]>> = {
  "annotations.action_runs": [...READ, "replay"],
  "annotations.actions": [...READ, ...WRITE],
  "annotations.annotations": [...READ, ...WRITE],
  "annotations.types": [...READ, ...WRITE],
  "cms.creative_works": [...READ, ...WRITE],
  "cms.entities": [...READ, ...WRITE],
  "cms.events": [...READ, ...WRITE],
  "cms.webhooks": [...READ, ...WRITE],
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

/** The permission of operators of the installation, which only the built-in role `operator` gives. */
export const OPERATING = "iam.organizations.create";

/** A named set of permissions. */
export interface BuiltInRole {
  readonly id: string;
  /** Display name. */
  readonly name: string;
  readonly permissions: readonly string[];
}

const ALL = Object.entries(COLLECTIONS).flatMap(([collection, verbs]) =>
  verbs.map((verb) => `${collection}.${verb}`),
);

/** Reports whether a permission allows reading only. */
export function isReadOnly(permission: string): boolean {
  return READ_ONLY.some((verb) => permission.endsWith(`.${verb}`));
}

/** Withheld from editors: a holder could grant themselves any permission. */
const givesAccess = (name: string) => name.startsWith("iam.") && name !== "iam.sso.update";

/** Every permission that a method or a role may use. */
export const PERMISSIONS: ReadonlySet<string> = new Set(ALL);

/**
 * The built-in roles of every organization: `owner` has every permission in it, `editor` all but those
 * that grant access, `viewer` reads, and `operator` creates organizations.
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

/** Finds a built-in role by its id. */
export function findBuiltInRole(id: string): BuiltInRole | undefined {
  return BUILT_IN_ROLES.find((role) => role.id === id);
}
