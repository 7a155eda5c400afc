import { notFound } from "../domain/base/errors.ts";
import type { DocumentType } from "../storage/contract/document-store.ts";
import type { OrganizationStore, Store } from "../storage/contract/store.ts";
import { type DatabaseLocation, openStore } from "../storage/open.ts";
import { ConfigError } from "./setting.ts";

/** Runs a step on an existing database, and closes it. NOT_FOUND `DATABASE_MISSING` if there is none and it must exist. */
export async function withStore<T>(
  database: DatabaseLocation,
  run: (store: Store) => Promise<T>,
  { mustExist = true } = {},
): Promise<T> {
  const store = await openStore(database, { mustExist });
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
  if (only === undefined) throw notFound(type, id);
  return store.in(only);
}

/** Prints a result: human-readable, or as a JSON object on one line with `--json`. */
export function printResult(
  { json }: { readonly json: boolean },
  result: object,
  text: string,
): void {
  process.stdout.write(json ? `${JSON.stringify(result)}\n` : text);
}
