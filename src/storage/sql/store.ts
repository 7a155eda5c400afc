import { sql } from "kysely";
import { isContentKind } from "../../domain/content/order.ts";
import { notFound } from "../../domain/errors.ts";
import { KIND_NAMES, type KindName } from "../../domain/kinds.ts";
import type { Documents } from "../document-store.ts";
import type { Store } from "../store.ts";
import { createAccessStore } from "./access.ts";
import { createActionRunStore } from "./action-runs.ts";
import { createAnnotationStore } from "./annotations.ts";
import { createAnsweredRequestStore } from "./answered-requests.ts";
import { createAuditStore } from "./audit.ts";
import { createBannerCollectionStore } from "./banner-collections.ts";
import { createBillingIntegrationStore } from "./billing-integrations.ts";
import { createContentStore } from "./content/content-store.ts";
import { createContentDocuments } from "./content/write/content-documents.ts";
import { isTableType } from "./document-kinds.ts";
import { createDocumentStore } from "./documents.ts";
import { createEntitlementAdmin } from "./entitlement-admin.ts";
import { createEntitlementStore } from "./entitlements.ts";
import { inTransaction } from "./in-transaction.ts";
import { createLeaseStore } from "./leases.ts";
import { loadDataset } from "./load.ts";
import { createOfferStore } from "./offers.ts";
import { createPageComponentStore } from "./page-components.ts";
import { createPageStore } from "./pages.ts";
import { createReferrerStore } from "./referrers.ts";
import { createRulesetStore } from "./rulesets.ts";
import type { Connections } from "./schema.ts";
import { createSecretStore } from "./secrets.ts";
import { createSignInIntegrationStore } from "./sign-in-integrations.ts";
import { createTransactionStore } from "./transactions.ts";
import { createRecordExport } from "./transfer/export-records.ts";
import { createRecordImport } from "./transfer/import-records.ts";
import { createVideoStore } from "./videos.ts";
import { createViewerTokenKeyStore } from "./viewer-token-keys.ts";

/**
 * Creates a store over an engine's connections; its queries are written once for all engines. How the
 * engine tells that something changed is its own affair: `version`.
 */
export function createSqlStore(connections: Connections, version: () => number): Store {
  const { read, write, leases, bulk } = connections;
  const access = createAccessStore(connections, version);
  return {
    access,
    actionRuns: createActionRunStore(connections),
    annotations: createAnnotationStore(connections),
    answeredRequests: createAnsweredRequestStore(connections),
    audit: createAuditStore(connections),
    bannerCollections: createBannerCollectionStore(connections),
    billingIntegrations: createBillingIntegrationStore(connections),
    creativeWorks: createContentStore(connections, "creative_work", version),
    documents: createDocuments(connections),
    entities: createContentStore(connections, "entity", version),
    entitlements: createEntitlementStore(connections),
    events: createContentStore(connections, "event", version),
    entitlementAdmin: createEntitlementAdmin(connections),
    leases: createLeaseStore(connections, access),
    offers: createOfferStore(connections),
    pageComponents: createPageComponentStore(connections),
    pages: createPageStore(connections),
    referrers: createReferrerStore(connections),
    rulesets: createRulesetStore(connections),
    secrets: createSecretStore(connections),
    signInIntegrations: createSignInIntegrationStore(connections),
    transactions: createTransactionStore(connections),
    viewerTokenKeys: createViewerTokenKeyStore(connections),
    videos: createVideoStore(connections),

    ...createRecordExport(connections),
    ...createRecordImport(connections),
    transaction: (run) =>
      inTransaction(write, (tx) => run(createSqlStore({ read: tx, write: tx }, version))),
    load: (dataset, createSecret) =>
      inTransaction(write, (tx) => loadDataset(tx, bulk, dataset, createSecret)),
    async isEmpty() {
      const row = await read.selectFrom("organization").select("id").limit(1).executeTakeFirst();
      return row === undefined;
    },
    version,
    async projectRevision(projectId) {
      const row = await read
        .selectFrom("project")
        .select("change_count")
        .where("id", "=", projectId)
        .executeTakeFirst();
      if (row === undefined) throw notFound(`project ${projectId}`);
      return row.change_count;
    },
    async ping() {
      await sql`select 1`.execute(read);
    },
    async close() {
      await read.destroy();
      await write.destroy();
      await leases?.destroy();
    },
  };
}

function createDocuments(connections: Connections): Documents {
  const stores: Partial<Record<KindName, unknown>> = {};
  for (const name of KIND_NAMES) {
    if (isContentKind(name)) stores[name] = createContentDocuments(connections, name);
    else if (isTableType(name)) stores[name] = createDocumentStore(connections, name);
  }
  // Each store is that of its kind, which a loop cannot tell the types.
  return stores as Documents;
}
