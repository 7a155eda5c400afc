import type { Entitlement } from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import type { Transaction } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import type { OrderPlace } from "../../domain/base/paging.ts";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import type { BillingSecrets } from "../../domain/monetization/billing-secrets.ts";
import type { Billionths } from "../../domain/monetization/money.ts";
import type { VisibilityScope } from "./content-store.ts";
import type { DocumentPage, DocumentQuery, SingleStore, Stored } from "./document-store.ts";

/** Offers. */
export interface OfferStore {
  /**
   * Lists the ids of offers that grant access to a video, or to an event or creative work that shows it. By position,
   * then id, at most `limit`, among the first 1,000 offers of the visibilities and the first 16 MiB of them.
   */
  listOpening(
    scope: VisibilityScope & {
      readonly videoId: string;
      readonly limit: number;
    },
  ): Promise<readonly string[]>;
}

/** Selects the entitlements of a viewer that are live at a time: start inclusive, end exclusive. */
export interface EntitlementViewer {
  readonly projectId: string;
  readonly userId: string;
  readonly now: Date;
  /** The budget of the call: a viewer may have any number of offers, and each is read. */
  readonly budget?: WorkBudget;
}

/** Selects the entitlements to list. */
export interface EntitlementQuery extends EntitlementViewer {
  readonly limit: number;
  /** Continues after this place, whose key is a start time. */
  readonly after?: OrderPlace;
}

/** The playback limits that a viewer's entitlements set for a video. */
export interface Coverage {
  /** The largest stream limit of the covering offers; 0 if none sets one. */
  readonly maxStreams: number;
  /** The end of the last of the entitlements; absent if one does not end. */
  readonly endTime?: Date;
}

/** The entitlements of viewers with offers that currently grant access to something. */
export interface EntitlementStore {
  /** Lists a viewer's entitlements, newest first, ties by id. */
  list(query: EntitlementQuery): Promise<DocumentPage<Entitlement>>;
  /**
   * Returns the coverage if an entitlement's offer grants access to everything, the video, or an event or creative
   * work, visible or not, that shows it. Undefined if none does. The visibility of the offer itself does not matter.
   */
  covers(query: EntitlementViewer & { readonly videoId: string }): Promise<Coverage | undefined>;
}

/**
 * An entitlement for the Studio API. Its revision also changes with every change of its offer, because it shows the
 * offer's scope.
 */
export interface StoredEntitlement extends Stored<Entitlement> {
  /** False if a transaction grants it. */
  readonly isGranted: boolean;
}

/** All entitlements of all users of an organization: bought or granted; upcoming, live or ended. */
export interface EntitlementAdmin {
  /** Returns an entitlement; NOT_FOUND if there is none. */
  get(id: string): Promise<StoredEntitlement>;
  /** Lists the entitlements of projects by `id` or `start_time`, ties by id. */
  list(query: DocumentQuery): Promise<DocumentPage<Entitlement>>;
  /**
   * Grants an entitlement, its times truncated to microseconds; the offer determines its scope. ALREADY_EXISTS if an
   * entitlement or a transaction has the id, NOT_FOUND if its project does not exist.
   */
  create(value: Entitlement): Promise<StoredEntitlement>;
  /** Deletes an entitlement unless `check` throws; NOT_FOUND if there is none. */
  delete(id: string, check: (current: StoredEntitlement) => void): Promise<void>;
}

/** Selects the transactions to list. */
export interface TransactionQuery {
  readonly projectIds: readonly string[];
  /** Must all equal the transaction's billing id; empty: every transaction matches. */
  readonly billingTransactionIds: readonly string[];
  readonly limit: number;
  /** Continues after this place, whose key is a time of creation. */
  readonly after?: OrderPlace;
  readonly withSummary: boolean;
}

/** A page of transactions, and sums over all that match the query, from one snapshot. */
export interface TransactionPage extends DocumentPage<Transaction> {
  readonly summary?: {
    readonly totalCount: number;
    /** Sums of `total_amount` over captured non-test transactions, by currency code. */
    readonly revenue: ReadonlyMap<string, Billionths>;
  };
}

/** Transactions. */
export interface TransactionStore {
  /** Lists by time of creation, newest first, ties by id. */
  list(query: TransactionQuery): Promise<TransactionPage>;
}

/** The billing integrations of projects. */
export type BillingIntegrationStore = SingleStore<BillingSecrets>;
