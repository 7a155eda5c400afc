import { isContentKind } from "../../domain/content/order.ts";
import { KIND_NAMES, type KindName } from "../../domain/kinds.ts";
import type { Documents } from "../document-store.ts";
import type { OrganizationStore } from "../store.ts";
import { ActionRunAdmin } from "./action-runs.ts";
import type { Connections } from "./connections.ts";
import { createContentDocuments } from "./content/write/content-documents.ts";
import { createLazily } from "./create-lazily.ts";
import { isTableType } from "./document-kinds.ts";
import { DocumentTable } from "./documents.ts";
import { EntitlementAdmin } from "./entitlement-admin.ts";
import { HolderTable } from "./holders.ts";
import { PageComponentStore } from "./page-components.ts";
import { isCounter } from "./revisions.ts";

/** What the stores of an organization are made from. */
interface Parts {
  readonly connections: Connections;
  readonly organizationId: string;
}

/** Creates the stores of the documents of each kind. */
const createDocuments = createLazily<Documents, Parts>(
  // Each store matches its kind, which the types cannot express in a loop.
  Object.fromEntries(KIND_NAMES.flatMap(toFactory)) as never,
);

function toFactory(kind: KindName): [string, (parts: Parts) => unknown][] {
  if (isContentKind(kind)) {
    return [[kind, (it) => createContentDocuments(it.connections, kind, it.organizationId)]];
  }
  if (!isTableType(kind)) return [];
  return [
    [
      kind,
      ({ connections, organizationId }) =>
        isCounter(kind)
          ? new HolderTable(connections, kind, organizationId)
          : new DocumentTable(connections, kind, organizationId),
    ],
  ];
}

/** Opens the resources of an organization; the store of each kind is created on first use. */
export function openOrganization(
  connections: Connections,
  organizationId: string,
): OrganizationStore {
  return {
    organizationId,
    documents: createDocuments({ connections, organizationId }),
    entitlementAdmin: new EntitlementAdmin(connections, organizationId),
    pageComponents: new PageComponentStore(connections, organizationId),
    runAdmin: new ActionRunAdmin(connections, organizationId),
  };
}
