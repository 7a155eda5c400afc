import { notFound } from "../domain/errors.ts";
import type { DocumentType } from "../storage/document-store.ts";
import type { OrganizationStore, Store } from "../storage/store.ts";
import { ConfigError } from "./setting.ts";

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
  const found = await store.access.listOrganizationsOf(type, id);
  if (found.length > 1) {
    throw new ConfigError(
      `${found.length} organizations have ${type} ${id}; name one with --organization-id`,
    );
  }
  const [only] = found;
  if (only === undefined) throw notFound(`${type} ${id}`);
  return store.in(only);
}
