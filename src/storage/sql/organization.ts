import { isContentKind, KIND_NAMES, type KindName } from "../../domain/kinds.ts";
import type { Documents } from "../document-store.ts";
import type { OrganizationStore } from "../store.ts";
import { ActionRunAdmin } from "./action-runs.ts";
import type { Connections } from "./connections.ts";
import { ContentTable } from "./content/write/content-table.ts";
import { isTableType } from "./document-kinds.ts";
import { DocumentTable } from "./documents.ts";
import { EntitlementAdmin } from "./entitlement-admin.ts";
import { HolderTable } from "./holders.ts";
import { PageComponentStore } from "./page-components.ts";
import { isCounter } from "./revisions.ts";

/** The resources of an organization. Each store is created when it is used, because a call uses few. */
export class Organization implements OrganizationStore {
  readonly organizationId: string;
  readonly documents: Documents;
  readonly #connections: Connections;

  constructor(connections: Connections, organizationId: string) {
    this.organizationId = organizationId;
    // A loop defines the properties, and the types cannot express that.
    this.documents = new OrganizationDocuments(connections, organizationId) as unknown as Documents;
    this.#connections = connections;
  }

  get entitlementAdmin(): EntitlementAdmin {
    return new EntitlementAdmin(this.#connections, this.organizationId);
  }

  get pageComponents(): PageComponentStore {
    return new PageComponentStore(this.#connections, this.organizationId);
  }

  get runAdmin(): ActionRunAdmin {
    return new ActionRunAdmin(this.#connections, this.organizationId);
  }
}

/** The documents of an organization, by kind. */
class OrganizationDocuments {
  readonly connections: Connections;
  readonly organizationId: string;

  constructor(connections: Connections, organizationId: string) {
    this.connections = connections;
    this.organizationId = organizationId;
  }
}

for (const kind of KIND_NAMES) {
  Object.defineProperty(OrganizationDocuments.prototype, kind, {
    get(this: OrganizationDocuments) {
      return openDocuments(kind, this);
    },
  });
}

function openDocuments(kind: KindName, { connections, organizationId }: OrganizationDocuments) {
  if (isContentKind(kind)) return new ContentTable(connections, kind, organizationId);
  if (!isTableType(kind)) return undefined;
  return isCounter(kind)
    ? new HolderTable(connections, kind, organizationId)
    : new DocumentTable(connections, kind, organizationId);
}
