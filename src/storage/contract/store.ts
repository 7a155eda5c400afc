import type { ResourceRef } from "../../domain/access/permissions.ts";
import type { ResourceName } from "../../domain/references.ts";
import type { AccessStore, Account } from "./access.ts";
import type { AnnotationStore } from "./annotations.ts";
import type { AuditStore } from "./audit.ts";
import type { ConnectionPool, ReplicaHealth, ReplicaState } from "./connection-pool.ts";
import type { ContentPathStore, ContentStore } from "./content-store.ts";
import type { Documents, VisibleDocumentStore } from "./document-store.ts";
import type { HistoryStore } from "./history.ts";
import type {
  BillingIntegrationStore,
  EntitlementAdmin,
  EntitlementStore,
  OfferStore,
  TransactionStore,
} from "./monetization.ts";
import type { ActionRunAdmin, ActionRunStore, WebhookStore } from "./outbox.ts";
import type { PageComponentStore, PageStore } from "./pages.ts";
import type { LeaseStore, RulesetStore, VideoStore } from "./playback.ts";
import type { RecordExport, RecordImport } from "./records.ts";
import type { DraftTarget, ReleaseItemStore } from "./releases.ts";
import type { SignInIntegrationStore, StaffSignInStore, ViewerTokenKeyStore } from "./sign-in.ts";
import type { WriteScope } from "./write-scope.ts";

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
  readonly contentPaths: ContentPathStore;
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

/** The change tracking of a database: changes by this process and by others. */
export interface Changes {
  /**
   * Returns the last known revision of a project, a number that differs after every change in the project. Changes by
   * this store show immediately, changes by others within a second. Undefined if the project does not exist, or if
   * the database cannot be read: unknown is not current. Never waits, never throws.
   */
  knownRevision(projectId: string): number | undefined;
  /**
   * Returns a number that grows with every change of signing keys, credentials, roles or webhooks. Changes by this
   * store show immediately, changes by others within a second. If the database cannot be read, every call returns a
   * new number. Never waits, never throws.
   *
   * With a project, the number may be an earlier one, unless a key or a webhook of the project has changed since.
   */
  accessVersion(projectId?: string): number;
  /** Reads the changes that others had committed before the call, for `knownRevision` and `accessVersion`. */
  catchUp(): Promise<void>;
}

/** Secrets of the installation, shared by all of its processes. */
export interface SecretStore {
  /** Returns the secret with a name, created by `create` if missing; concurrent callers all get the same. */
  getOrCreate(name: string, create: () => Uint8Array): Promise<Uint8Array>;
  /** Deletes all secrets. */
  clear(): Promise<void>;
}

/**
 * The requests that all processes counted, by key. They are not content: adding changes no revision. A crash of the
 * machine may lose them.
 */
export interface RateCountStore {
  /**
   * Adds counts to the stored counts of a minute, numbered since 1970, and returns the totals of their keys. Deletes
   * counts of earlier minutes, at most {@link SWEPT} or twice as many as it adds. Keys contain no NUL.
   */
  add(minute: number, counts: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>>;
}

/** Lookups of references to resources. */
export interface ReferrerStore {
  /**
   * Lists at most `limit` resources of the same project or organization that refer to a resource or depend on
   * it. The same id elsewhere names another resource.
   */
  list(resource: ResourceRef, limit: number): Promise<ResourceName[]>;
}

/** The stored response to a call with a request id. */
export interface StoredResponse {
  readonly account: Account;
  readonly requestId: string;
  /** The hash of the request. */
  readonly requestHash: Uint8Array;
  /** Encrypted. */
  readonly response: Uint8Array;
  readonly expireTime: Date;
}

/** The stored responses to calls with a request id. */
export interface StoredResponseStore {
  /** Finds the response to a call that has not expired at `now`; undefined if there is none. */
  find(account: Account, requestId: string, now: Date): Promise<StoredResponse | undefined>;
  /** Stores a response, replacing one that has expired at `now`. */
  keep(response: StoredResponse, now: Date): Promise<void>;
  /**
   * Deletes at most `limit` responses that have expired at `now`, the oldest first: to accounts of one organization, or all.
   * Returns the number deleted; 0: there are none left.
   */
  prune(now: Date, limit: number, organizationId?: string): Promise<number>;
}
