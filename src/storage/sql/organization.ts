import { isContentKind } from "../../domain/content/order.ts";
import { KIND_NAMES } from "../../domain/kinds.ts";
import type { Documents } from "../document-store.ts";
import type { OrganizationStore } from "../store.ts";
import { createActionRunAdmin } from "./action-runs.ts";
import type { Connections } from "./connections.ts";
import { createContentDocuments } from "./content/write/content-documents.ts";
import { isTableType } from "./document-kinds.ts";
import { createDocumentStore } from "./documents.ts";
import { createEntitlementAdmin } from "./entitlement-admin.ts";
import { createPageComponentStore } from "./page-components.ts";

/** Opens the resources of an organization; the store of each kind is created on first use. */
export function openOrganization(
  connections: Connections,
  organizationId: string,
): OrganizationStore {
  const documents = {};
  for (const name of KIND_NAMES) {
    if (isContentKind(name)) {
      defineLazily(documents, name, () =>
        createContentDocuments(connections, name, organizationId),
      );
    } else if (isTableType(name)) {
      defineLazily(documents, name, () => createDocumentStore(connections, name, organizationId));
    }
  }
  return {
    organizationId,
    // Each store matches its kind, which the types cannot express in a loop.
    documents: documents as Documents,
    entitlementAdmin: createEntitlementAdmin(connections, organizationId),
    pageComponents: createPageComponentStore(connections, organizationId),
    runAdmin: createActionRunAdmin(connections, organizationId),
  };
}

function defineLazily(target: object, name: string, create: () => unknown): void {
  let made: unknown;
  Object.defineProperty(target, name, {
    enumerable: true,
    get() {
      made ??= create();
      return made;
    },
  });
}
