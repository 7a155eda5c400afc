import type { AccessStore } from "./access.ts";
import type { ActionRunAdmin, ActionRunStore } from "./action-runs.ts";
import type { AnnotationStore } from "./annotations.ts";
import type { AuditStore } from "./audit.ts";
import type { BillingIntegrationStore } from "./billing-integrations.ts";
import type { Changes } from "./changes.ts";
import type { ConnectionPool, ReplicaHealth, ReplicaState } from "./connection-pool.ts";
import type { ContentStore } from "./content-store.ts";
import type { Documents } from "./document-store.ts";
import type { DraftTarget } from "./draft-target.ts";
import type { EntitlementAdmin } from "./entitlement-admin.ts";
import type { EntitlementStore } from "./entitlements.ts";
import type { HistoryStore } from "./history.ts";
import type { LeaseStore } from "./leases.ts";
import type { OfferStore } from "./offers.ts";
import type { PageComponentStore } from "./page-components.ts";
import type { PageStore } from "./pages.ts";
import type { RateCountStore } from "./rate-counts.ts";
import type { RecordExport } from "./record-export.ts";
import type { RecordImport } from "./record-import.ts";
import type { ReferrerStore } from "./referrers.ts";
import type { ReleaseItemStore } from "./release-items.ts";
import type { RulesetStore } from "./rulesets.ts";
import type { SecretStore } from "./secrets.ts";
import type { SignInIntegrationStore } from "./sign-in-integrations.ts";
import type { StaffSignInStore } from "./staff-sign-ins.ts";
import type { StoredResponseStore } from "./stored-responses.ts";
import type { TransactionStore } from "./transactions.ts";
import type { VideoStore } from "./videos.ts";
import type { ViewerTokenKeyStore } from "./viewer-token-keys.ts";
import type { VisibleDocumentStore } from "./visible-documents.ts";
import type { WebhookStore } from "./webhooks.ts";
import type { WriteScope } from "./write-scope.ts";

export type { Account, ProjectKey, ProjectKeyKind } from "./access.ts";
export type { FinishedRun } from "./action-runs.ts";
export type { AnnotationPage, AnnotationPlace, AnnotationQuery } from "./annotations.ts";
export type { AuditPlace, AuditQuery } from "./audit.ts";
export type {
  Coverage,
  EntitlementPage,
  EntitlementPlace,
  EntitlementQuery,
} from "./entitlements.ts";
export type { ChangedStates, HistoryPlace, NewChange, Retention } from "./history.ts";
export type { LeaseClaim, LeaseResult } from "./leases.ts";
export type { PageKey, PageVisibilityScope } from "./pages.ts";
export type { DraftRevision, ItemPlace, ReleaseDraft, ReleaseVersion } from "./release-items.ts";
export type { StoredResponse } from "./stored-responses.ts";
export type { RunClaim, TakenRun, TakenRuns } from "./take-runs.ts";
export type { TransactionPage, TransactionPlace, TransactionQuery } from "./transactions.ts";
export type { NewViewerTokenKey, ViewerTokenKey } from "./viewer-token-keys.ts";
export type { WriteScope } from "./write-scope.ts";

/**
 * The resources of one organization. Ids are unique within it, and every lookup by id is limited to it; only
 * ids of organizations and projects are unique in the installation.
 */
export interface OrganizationStore {
  readonly organizationId: string;
  readonly documents: Documents;
  readonly entitlementAdmin: EntitlementAdmin;
  readonly pageComponents: PageComponentStore;
  readonly runAdmin: ActionRunAdmin;
}

/** The stores of all topics. */
export interface Stores {
  readonly access: AccessStore;
  readonly actionRuns: ActionRunStore;
  readonly annotations: AnnotationStore;
  readonly audit: AuditStore;
  readonly billingIntegrations: BillingIntegrationStore;
  readonly creativeWorks: ContentStore;
  readonly entities: ContentStore;
  readonly entitlements: EntitlementStore;
  readonly events: ContentStore;
  readonly history: HistoryStore;
  readonly leases: LeaseStore;
  readonly offers: OfferStore;
  readonly pages: PageStore;
  readonly rateCounts: RateCountStore;
  readonly referrers: ReferrerStore;
  readonly releaseItems: ReleaseItemStore;
  readonly rulesets: RulesetStore;
  readonly secrets: SecretStore;
  readonly signInIntegrations: SignInIntegrationStore;
  readonly staffSignIns: StaffSignInStore;
  readonly storedResponses: StoredResponseStore;
  readonly transactions: TransactionStore;
  readonly videos: VideoStore;
  readonly viewerTokenKeys: ViewerTokenKeyStore;
  readonly visibleDocuments: VisibleDocumentStore;
  readonly webhooks: WebhookStore;
}

/** The stores that serve Delivery API calls from any server of the database. */
export interface DeliveryReads
  extends Pick<
    Store,
    | "annotations"
    | "creativeWorks"
    | "entities"
    | "events"
    | "offers"
    | "pages"
    | "rulesets"
    | "visibleDocuments"
  > {
  readonly access: Pick<Stores["access"], "findProjectKey">;
}

/**
 * The storage contract that every engine implements; `test/storage/store.contract.ts` tests it.
 *
 * - Ids are compared byte for byte: `a` and `A` are two ids. Text is ordered by code points.
 * - A write that has returned survives a crash of the process and of the machine.
 * - A method that takes ids returns what it finds; an empty list of ids finds nothing.
 * - Every write has a scope (`WriteScope`): the scope of the enclosing transaction or, outside of one, the project or
 *   organization of the resource written. Writes with overlapping scopes take effect one after the other, each seeing
 *   everything written before it; others may run concurrently. If two concurrent writes create the same id, one
 *   succeeds and the other fails with ALREADY_EXISTS.
 * - A callback that decides a write runs inside the write's transaction, with the newest state; an error it throws
 *   rolls the transaction back and reaches the caller. It must not wait for anything. It may be called again, so it
 *   must change nothing outside the store.
 * - Within a transaction, a later read or write, or the transaction itself, may report the failure of a write.
 * - No read is older than the state that `knownRevision` or `accessVersion` returned before it began.
 * - Failures are `DomainError`s: NOT_FOUND `RESOURCE_NOT_FOUND`, ALREADY_EXISTS `ALREADY_EXISTS`, UNAVAILABLE
 *   `DATABASE_UNAVAILABLE`.
 */
export interface Store extends Stores, Changes, RecordExport, RecordImport {
  /**
   * The same stores for reads that a replica may serve, at the known revision of the project or a newer one; absent
   * without replicas.
   */
  readonly delivery?: DeliveryReads;

  /** Opens the resources of an organization, which may not exist: current ones, or as a release shows them. */
  in(organizationId: string, target?: DraftTarget): OrganizationStore;
  /**
   * Runs `run` in one transaction: everything it writes through the given store is committed or, if it throws, rolled
   * back. The scope is locked first. It must contain everything that `run` writes or reads to decide; a nested
   * transaction adds nothing to the outer scope. `run` must wait for nothing but that store, and change nothing
   * outside it: if two transactions conflict, one is rolled back and its `run` is called again.
   */
  transaction<T>(scope: WriteScope, run: (store: Store) => Promise<T>): Promise<T>;
  /**
   * Deletes what a project has but the project itself, in many short transactions: writes of others take turns with them. If
   * it fails, the project keeps the rest.
   */
  emptyProject(project: { readonly id: string; readonly organizationId: string }): Promise<void>;
  /** Reports whether the store has no organizations. */
  isEmpty(): Promise<boolean>;
  /** The connections by purpose. */
  readonly pools: readonly ConnectionPool[];
  /** Reports the state of the database; UNAVAILABLE if neither the primary nor a replica responds. */
  readiness(): Promise<Readiness>;
  /**
   * Returns the bytes of each table with its indexes. SQLite measures them once an hour, in the background: it returns the last
   * ones, and none at first.
   */
  measureTables(): Promise<ReadonlyMap<string, number>>;
  /** Lists the replicas with the state of their last probe; absent if there are none. */
  listReplicas?(): readonly ReplicaHealth[];
  /** Closes the database; no method may be called afterwards. */
  close(): Promise<void>;
}

/** The state of a database. */
export interface Readiness {
  /** The number of the last applied migration. */
  readonly schema: number;
  /** True if the primary server responds. */
  readonly primary: boolean;
  /** False while writes fail although the database responds, for example because its disk is full. */
  readonly writable: boolean;
  /** The state of the best replica; absent if there is none. */
  readonly replica?: ReplicaState;
}
