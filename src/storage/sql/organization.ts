import { isContentKind, KIND_NAMES, type KindName } from "../../domain/kinds.ts";
import type { Documents } from "../contract/document-store.ts";
import type { OrganizationStore } from "../contract/store.ts";
import type { Connections } from "./base/connections.ts";
import { SqlActionRunAdmin } from "./stores/action-runs.ts";
import { ContentTable } from "./stores/content-table.ts";
import { isTableKind } from "./stores/document-kinds.ts";
import { DocumentTable } from "./stores/documents.ts";
import { SqlEntitlementAdmin } from "./stores/entitlement-admin.ts";
import { SqlPageComponentStore } from "./stores/page-components.ts";

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

  get entitlementAdmin(): SqlEntitlementAdmin {
    return new SqlEntitlementAdmin(this.#connections, this.organizationId);
  }

  get pageComponents(): SqlPageComponentStore {
    return new SqlPageComponentStore(this.#connections, this.organizationId);
  }

  get runAdmin(): SqlActionRunAdmin {
    return new SqlActionRunAdmin(this.#connections, this.organizationId);
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
  if (isContentKind(kind)) {
    define(kind, (it) => new ContentTable(it.connections, kind, it.organizationId));
  } else if (isTableKind(kind)) {
    define(kind, (it) => new DocumentTable(it.connections, kind, it.organizationId));
  }
}

function define(kind: KindName, open: (documents: OrganizationDocuments) => unknown): void {
  Object.defineProperty(OrganizationDocuments.prototype, kind, {
    get(this: OrganizationDocuments) {
      return open(this);
    },
  });
}
