import type { Stores } from "../contract/store.ts";
import { ConnectedStore } from "./base/connections.ts";
import { ContentReads } from "./content/content-store.ts";
import { SqlContentPathStore } from "./content/write/content-paths.ts";
import { SqlAccessStore } from "./stores/access.ts";
import { SqlActionRunStore } from "./stores/action-runs.ts";
import { SqlAnnotationStore } from "./stores/annotations.ts";
import { SqlAuditStore } from "./stores/audit.ts";
import { SqlBillingIntegrationStore } from "./stores/billing-integrations.ts";
import { SqlEntitlementStore } from "./stores/entitlements.ts";
import { SqlHistoryStore } from "./stores/history.ts";
import { SqlLeaseStore } from "./stores/leases.ts";
import { SqlOfferStore } from "./stores/offers.ts";
import { SqlPageStore } from "./stores/pages.ts";
import { SqlRateCountStore } from "./stores/rate-counts.ts";
import { SqlReferrerStore } from "./stores/referrers.ts";
import { SqlReleaseItemStore } from "./stores/release-items.ts";
import { SqlRulesetStore } from "./stores/rulesets.ts";
import { SqlSecretStore } from "./stores/secrets.ts";
import { SqlSignInIntegrationStore } from "./stores/sign-in-integrations.ts";
import { SqlStaffSignInStore } from "./stores/staff-sign-ins.ts";
import { SqlStoredResponseStore } from "./stores/stored-responses.ts";
import { SqlTransactionStore } from "./stores/transactions.ts";
import { SqlVideoStore } from "./stores/videos.ts";
import { SqlViewerTokenKeyStore } from "./stores/viewer-token-keys.ts";
import { SqlVisibleDocumentStore } from "./stores/visible-documents.ts";
import { SqlWebhookStore } from "./stores/webhooks.ts";

/** The stores of all topics. */
export class SqlStores extends ConnectedStore implements Stores {
  readonly access = new SqlAccessStore(this.connections);
  readonly actionRuns = new SqlActionRunStore(this.connections);
  readonly annotations = new SqlAnnotationStore(this.connections);
  readonly storedResponses = new SqlStoredResponseStore(this.connections);
  readonly audit = new SqlAuditStore(this.connections);
  readonly billingIntegrations = new SqlBillingIntegrationStore(this.connections);
  readonly contentPaths = new SqlContentPathStore(this.connections);
  readonly entitlements = new SqlEntitlementStore(this.connections);
  readonly history = new SqlHistoryStore(this.connections);
  readonly offers = new SqlOfferStore(this.connections);
  readonly pages = new SqlPageStore(this.connections);
  readonly rateCounts = new SqlRateCountStore(this.connections);
  readonly referrers = new SqlReferrerStore(this.connections);
  readonly releaseItems = new SqlReleaseItemStore(this.connections);
  readonly rulesets = new SqlRulesetStore(this.connections);
  readonly secrets = new SqlSecretStore(this.connections);
  readonly signInIntegrations = new SqlSignInIntegrationStore(this.connections);
  readonly staffSignIns = new SqlStaffSignInStore(this.connections);
  readonly transactions = new SqlTransactionStore(this.connections);
  readonly viewerTokenKeys = new SqlViewerTokenKeyStore(this.connections);
  readonly visibleDocuments = new SqlVisibleDocumentStore(this.connections);
  readonly videos = new SqlVideoStore(this.connections);
  readonly webhooks = new SqlWebhookStore(this.connections);

  // A transaction needs none of these.
  #creativeWorks: ContentReads | undefined;
  #entities: ContentReads | undefined;
  #events: ContentReads | undefined;
  #leases: SqlLeaseStore | undefined;

  get creativeWorks(): ContentReads {
    this.#creativeWorks ??= new ContentReads(this.connections, "creative_work");
    return this.#creativeWorks;
  }

  get entities(): ContentReads {
    this.#entities ??= new ContentReads(this.connections, "entity");
    return this.#entities;
  }

  get events(): ContentReads {
    this.#events ??= new ContentReads(this.connections, "event");
    return this.#events;
  }

  get leases(): SqlLeaseStore {
    this.#leases ??= new SqlLeaseStore(this.connections);
    return this.#leases;
  }
}
