import { AccessStore } from "./access.ts";
import { ActionRunStore } from "./action-runs.ts";
import { AnnotationStore } from "./annotations.ts";
import { AuditStore } from "./audit.ts";
import { BannerCollectionStore } from "./banner-collections.ts";
import { BillingIntegrationStore } from "./billing-integrations.ts";
import { ConnectedStore } from "./connections.ts";
import { ContentReads } from "./content/content-store.ts";
import { EntitlementStore } from "./entitlements.ts";
import { HistoryStore } from "./history.ts";
import { LeaseStore } from "./leases.ts";
import { OfferStore } from "./offers.ts";
import { PageStore } from "./pages.ts";
import { RateCountStore } from "./rate-counts.ts";
import { ReferrerStore } from "./referrers.ts";
import { ReleaseItemStore } from "./release-items.ts";
import { RulesetStore } from "./rulesets.ts";
import { SecretStore } from "./secrets.ts";
import { SignInIntegrationStore } from "./sign-in-integrations.ts";
import { StoredResponseStore } from "./stored-responses.ts";
import { TransactionStore } from "./transactions.ts";
import { VideoStore } from "./videos.ts";
import { ViewerTokenKeyStore } from "./viewer-token-keys.ts";
import { WebhookStore } from "./webhooks.ts";

/** The stores of all topics. */
export class Stores extends ConnectedStore {
  readonly access = new AccessStore(this.connections);
  readonly actionRuns = new ActionRunStore(this.connections);
  readonly annotations = new AnnotationStore(this.connections);
  readonly storedResponses = new StoredResponseStore(this.connections);
  readonly audit = new AuditStore(this.connections);
  readonly bannerCollections = new BannerCollectionStore(this.connections);
  readonly billingIntegrations = new BillingIntegrationStore(this.connections);
  readonly entitlements = new EntitlementStore(this.connections);
  readonly history = new HistoryStore(this.connections);
  readonly offers = new OfferStore(this.connections);
  readonly pages = new PageStore(this.connections);
  readonly rateCounts = new RateCountStore(this.connections);
  readonly referrers = new ReferrerStore(this.connections);
  readonly releaseItems = new ReleaseItemStore(this.connections);
  readonly rulesets = new RulesetStore(this.connections);
  readonly secrets = new SecretStore(this.connections);
  readonly signInIntegrations = new SignInIntegrationStore(this.connections);
  readonly transactions = new TransactionStore(this.connections);
  readonly viewerTokenKeys = new ViewerTokenKeyStore(this.connections);
  readonly videos = new VideoStore(this.connections);
  readonly webhooks = new WebhookStore(this.connections);

  // A transaction needs none of these.
  #creativeWorks: ContentReads | undefined;
  #entities: ContentReads | undefined;
  #events: ContentReads | undefined;
  #leases: LeaseStore | undefined;

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

  get leases(): LeaseStore {
    this.#leases ??= new LeaseStore(this.connections);
    return this.#leases;
  }
}
