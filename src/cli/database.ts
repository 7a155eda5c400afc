import type { DocumentType } from "../storage/contract/document-store.ts";
import type { OrganizationStore, Store } from "../storage/contract/store.ts";
import { type DatabaseLocation, openStore, type StoreOptions } from "../storage/open.ts";
import { ConfigError, type Setting } from "./setting.ts";
import { toDatabase } from "./setting-values.ts";

/** The setting of every command with a database. */
export const DATABASE = {
  form: "ADDRESS",
  fallback: "sqlite:data/marquee.db",
  help: "database to use: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME",
  parse: toDatabase,
} as const satisfies Setting;

/** Names a database, without the credentials of its connection string. */
export function nameDatabase(database: DatabaseLocation): string {
  return database.engine === "sqlite" ? `sqlite:${database.path}` : "postgres://…";
}

/** The setting of imports into a database. */
export const DRY_RUN = {
  help: "report the changes and count the rest; write nothing",
} as const satisfies Setting;

/**
 * Runs a step on a database, by default on an existing one, and closes it. NOT_FOUND `DATABASE_MISSING` if there is none
 * and it must exist.
 */
export async function withStore<T>(
  database: DatabaseLocation,
  run: (store: Store) => Promise<T>,
  options: StoreOptions = { mustExist: true },
): Promise<T> {
  const store = await openStore(database, options);
  try {
    return await run(store);
  } finally {
    await store.close();
  }
}

/**
 * Opens the organization that has a resource: the one that `--organization-id` names, else the only one.
 * NOT_FOUND if none has it; a ConfigError if several have.
 */
export async function openOrganizationOf(
  store: Store,
  type: DocumentType,
  id: string,
  organizationId: string,
): Promise<OrganizationStore> {
  if (organizationId !== "") return store.in(organizationId);
  const organizations = await store.access.listOrganizationsOf(type, id);
  if (organizations.length > 1) {
    throw new ConfigError(
      `${organizations.length} organizations have ${type} ${id}; name one with --organization-id`,
    );
  }
  const [only] = organizations;
  if (only !== undefined) return store.in(only);
  const { notFound } = await import("../domain/base/errors.ts");
  throw notFound(type, id);
}
