import { isContentKind, KIND_NAMES } from "../../domain/kinds.ts";
import type { Documents } from "../contract/document-store.ts";
import type { OrganizationStore } from "../contract/store.ts";
import type { Connections } from "./base/connections.ts";
import { SqlActionRunAdmin } from "./stores/action-runs.ts";
import { ContentTable } from "./stores/content-table.ts";
import { isTableKind } from "./stores/document-kinds.ts";
import { DocumentTable } from "./stores/documents.ts";
import { SqlEntitlementAdmin } from "./stores/entitlement-admin.ts";
import { SqlPageComponentStore } from "./stores/page-components.ts";

/** Opens the resources of an organization. */
export function openOrganization(
  connections: Connections,
  organizationId: string,
): OrganizationStore {
  const documents: Record<string, unknown> = {};
  for (const kind of KIND_NAMES) {
    if (isContentKind(kind)) {
      documents[kind] = new ContentTable(connections, kind, organizationId);
    } else if (isTableKind(kind)) {
      documents[kind] = new DocumentTable(connections, kind, organizationId);
    }
  }
  return {
    organizationId,
    documents: documents as Documents,
    entitlementAdmin: new SqlEntitlementAdmin(connections, organizationId),
    pageComponents: new SqlPageComponentStore(connections, organizationId),
    runAdmin: new SqlActionRunAdmin(connections, organizationId),
  };
}
