import type { Store } from "../store.ts";
import { createAccessStore } from "./access.ts";
import { createActionRunStore } from "./action-runs.ts";
import { createAnnotationStore } from "./annotations.ts";
import { createAnsweredRequestStore } from "./answered-requests.ts";
import { createAuditStore } from "./audit.ts";
import { createBannerCollectionStore } from "./banner-collections.ts";
import { createBillingIntegrationStore } from "./billing-integrations.ts";
import type { Connections } from "./connections.ts";
import { ContentReads } from "./content/content-store.ts";
import { createLazily } from "./create-lazily.ts";
import { createEntitlementStore } from "./entitlements.ts";
import { createLeaseStore } from "./leases.ts";
import { createOfferStore } from "./offers.ts";
import { createPageStore } from "./pages.ts";
import { createRateCountStore } from "./rate-counts.ts";
import { createReferrerStore } from "./referrers.ts";
import { createRulesetStore } from "./rulesets.ts";
import { createSecretStore } from "./secrets.ts";
import { createSignInIntegrationStore } from "./sign-in-integrations.ts";
import { createTransactionStore } from "./transactions.ts";
import { createVideoStore } from "./videos.ts";
import { createViewerTokenKeyStore } from "./viewer-token-keys.ts";
import { createWebhookStore } from "./webhooks.ts";

/** The names of a store's stores. */
export type StoreName = keyof typeof FACTORIES;

type Stores = Pick<Store, StoreName>;

const FACTORIES = {
  access: createAccessStore,
  actionRuns: createActionRunStore,
  annotations: createAnnotationStore,
  answeredRequests: createAnsweredRequestStore,
  audit: createAuditStore,
  bannerCollections: createBannerCollectionStore,
  billingIntegrations: createBillingIntegrationStore,
  creativeWorks: (it: Connections) => new ContentReads(it, "creative_work"),
  entities: (it: Connections) => new ContentReads(it, "entity"),
  entitlements: createEntitlementStore,
  events: (it: Connections) => new ContentReads(it, "event"),
  leases: createLeaseStore,
  offers: createOfferStore,
  pages: createPageStore,
  rateCounts: createRateCountStore,
  referrers: createReferrerStore,
  rulesets: createRulesetStore,
  secrets: createSecretStore,
  signInIntegrations: createSignInIntegrationStore,
  transactions: createTransactionStore,
  viewerTokenKeys: createViewerTokenKeyStore,
  videos: createVideoStore,
  webhooks: createWebhookStore,
} as const;

/** The names of a store's stores. */
export const STORE_NAMES = Object.keys(FACTORIES) as readonly StoreName[];

/** Creates the stores over connections, each on first use, as a write needs few. */
export const createStores: (connections: Connections) => Stores = createLazily<Stores, Connections>(
  FACTORIES,
);
