const READ = ["get", "list"];
const WRITE = ["create", "update", "delete"];
/** What asks a question that is too large for a path and changes nothing. */
const SIMULATE = ["simulate"];
/** The verbs that change nothing. */
const HARMLESS = [...READ, ...SIMULATE];

/** Every collection that has permissions, with the verbs that exist for it. */
const COLLECTIONS: Readonly<Record<string, readonly string[]>> = {
  "annotations.annotations": [...READ, ...WRITE],
  "annotations.types": [...READ, ...WRITE],
  "iam.sso": ["get", "update"],
  "monetization.transactions": READ,
  "ott.page_components": [...READ, ...WRITE],
  "streaming.rulesets": [...READ, ...WRITE, ...SIMULATE],
};

/** A named set of permissions. */
export interface Role {
  readonly id: string;
  readonly permissions: readonly string[];
}

const ALL = Object.entries(COLLECTIONS).flatMap(([collection, verbs]) =>
  verbs.map((verb) => `${collection}.${verb}`),
);

/** Every permission name that a method or a role may use. */
export const PERMISSIONS: ReadonlySet<string> = new Set(ALL);

/** The roles that exist from the start: `owner` and `editor` hold every permission, `viewer` reads. */
export const BUILT_IN_ROLES: readonly Role[] = [
  { id: "owner", permissions: ALL },
  { id: "editor", permissions: ALL },
  {
    id: "viewer",
    permissions: ALL.filter((name) => HARMLESS.some((verb) => name.endsWith(`.${verb}`))),
  },
];
