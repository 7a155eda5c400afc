import type { Webhook } from "../../gen/svc/studio/cms/webhook/v1/webhook_pb.ts";
import type { AccessToken } from "../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import type { Entry } from "../../gen/svc/studio/iam/audit/v1/entry_pb.ts";
import type { Role } from "../../gen/svc/studio/iam/role/v1/role_pb.ts";
import type { SignInIntegration } from "../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import type { PageComponent } from "../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { VideoProtectionRuleset } from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import type { Binding, ResourceRef } from "../domain/access/permissions.ts";
import type { KqlNode } from "../domain/kql/index.ts";
import type { PagePlace } from "../domain/pages/components/layout.ts";
import type { ResourceName } from "../domain/references.ts";
import type { WorkBudget } from "../domain/work-budget.ts";
import type { ActionRunAdmin, ActionRunStore } from "./action-run-store.ts";
import type { ConnectionPool, ReplicaHealth, ReplicaState } from "./connection-pool.ts";
import type { DeliveryReads } from "./delivery-store.ts";
import type { DocumentExtras, DocumentStore, Documents, DocumentType } from "./document-store.ts";
import type { BillingIntegrationStore, EntitlementAdmin } from "./monetization-store.ts";
import type { EntitlementStore, LeaseStore, VideoStore } from "./playback-store.ts";
import type { RateCountStore } from "./rate-count-store.ts";
import type { RecordExport } from "./record-export.ts";
import type { RecordImport } from "./record-import.ts";
import type { Stored } from "./stored.ts";
import type { TransactionStore } from "./transaction-store.ts";
import type { ViewerTokenKeyStore } from "./viewer-token-key-store.ts";
import type { WriteScope } from "./write-scope.ts";

export type { WriteScope } from "./write-scope.ts";

/**
 * The resources of one organization. Ids are unique within it, and every look-up by id is limited to it; only
 * ids of organizations and projects are unique in the installation.
 */
export interface OrganizationStore {
  readonly organizationId: string;
  readonly documents: Documents;
  readonly entitlementAdmin: EntitlementAdmin;
  readonly pageComponents: PageComponentStore;
  readonly runAdmin: ActionRunAdmin;
}

/**
 * The storage contract that every engine implements; `test/storage/store.contract.ts` tests it.
 *
 * - Ids are compared byte for byte: `a` and `A` are two ids. Text is ordered by code points.
 * - A write that has returned survives a crash of the process and of the machine.
 * - A method that takes ids returns what it finds; an empty list of ids finds nothing.
 * - Every write has a scope (`WriteScope`): that of the enclosing transaction or, outside of one, the project
 *   or organization of the resource written. Writes with overlapping scopes take effect one after the other,
 *   each seeing everything written before it; others may run concurrently. If two of those create the same
 *   id, one succeeds and the other fails with ALREADY_EXISTS.
 * - A callback that decides a write runs inside the write's transaction, with the newest state; an error it
 *   throws rolls the transaction back and reaches the caller. It must not wait for anything. It may be called
 *   again, so it must change nothing outside the store.
 * - Within a transaction, a later read or write, or the transaction itself, may report the failure of a write.
 * - No read is older than what `knownRevision` or `accessVersion` returned before it began.
 * - Failures are `DomainError`s: NOT_FOUND `RESOURCE_NOT_FOUND`, ALREADY_EXISTS `ALREADY_EXISTS`, UNAVAILABLE
 *   `DATABASE_UNAVAILABLE`.
 */
export interface Store extends DeliveryReads, RecordExport, RecordImport {
  readonly access: AccessStore;
  readonly actionRuns: ActionRunStore;
  readonly answeredRequests: AnsweredRequestStore;
  readonly audit: AuditStore;
  readonly billingIntegrations: BillingIntegrationStore;
  readonly entitlements: EntitlementStore;
  readonly leases: LeaseStore;
  readonly rateCounts: RateCountStore;
  readonly referrers: ReferrerStore;
  readonly rulesets: RulesetStore;
  readonly secrets: SecretStore;
  readonly signInIntegrations: SignInIntegrationStore;
  readonly transactions: TransactionStore;
  readonly viewerTokenKeys: ViewerTokenKeyStore;
  readonly videos: VideoStore;
  readonly webhooks: WebhookStore;
  /**
   * The same stores for reads that a replica may answer, of the project's revision that is known or a newer one;
   * absent without replicas.
   */
  readonly delivery?: DeliveryReads &
    Pick<Store, "rulesets"> & { readonly access: Pick<AccessStore, "findProjectKey"> };

  /** Opens the resources of an organization, which need not exist. */
  in(organizationId: string): OrganizationStore;
  /**
   * Runs `run` in one transaction: everything it writes through the given store is committed or, if it
   * throws, rolled back. The scope is locked first and must contain everything that `run` reads to decide or
   * writes; a nested transaction adds nothing to the outer scope. `run` must wait for nothing but that store,
   * and change nothing outside it: if two transactions conflict, one is rolled back and its `run` is called
   * again.
   */
  transaction<T>(scope: WriteScope, run: (store: Store) => Promise<T>): Promise<T>;
  /** Reports whether the store has no organizations. */
  isEmpty(): Promise<boolean>;
  /**
   * Returns the last known revision of a project, a number that differs after every change in the project:
   * changes by this store show immediately, changes by others within a second. Undefined if there is no such
   * project, or if the database cannot tell: unknown is not current. Never waits, never throws.
   */
  knownRevision(projectId: string): number | undefined;
  /**
   * Returns a number that differs after every change of signing keys, credentials, roles or webhooks: changes by this
   * store show immediately, changes by others within a second. A new one each time if the database cannot tell. Never
   * waits, never throws.
   */
  accessVersion(): number;
  /** Learns what others had committed before the call, for `knownRevision` and `accessVersion`. */
  catchUp(): Promise<void>;
  /** The connections by purpose. */
  readonly pools: readonly ConnectionPool[];
  /** Reports the state of the database; UNAVAILABLE if neither the primary responds nor a replica. */
  readiness(): Promise<Readiness>;
  /** Lists the replicas as they were last probed; absent if there are none. */
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
  /** The state of the best replica; absent if there is none. */
  readonly replica?: ReplicaState;
}

/** An account, identified by its organization and id. */
export interface Account {
  readonly id: string;
  readonly organizationId: string;
}

/** The project that a public or preview key identifies. */
export interface ProjectKey {
  readonly projectId: string;
  readonly organizationId: string;
  readonly kind: ProjectKeyKind;
  /** A revision of the project at which the key was valid. */
  readonly revision?: number;
}

/** The kind of a key: a public key sees published content, a preview key everything. */
export type ProjectKeyKind = "public" | "preview";

/** Credentials, roles and bindings. */
export interface AccessStore {
  /**
   * Finds the account of a token that is neither revoked nor expired at `now`; undefined if there is none.
   */
  findAccount(tokenHash: Uint8Array, now: Date): Promise<Account | undefined>;
  /** Finds the project of a key; undefined if there is none. */
  findProjectKey(keyHash: Uint8Array): Promise<Required<ProjectKey> | undefined>;
  /**
   * Finds the uid of a project: random, created with the project, and never reused, not even by a later
   * project of the same id. Data that may outlive a project is bound to it. Undefined if there is no such
   * project.
   */
  findProjectUid(projectId: string): Promise<string | undefined>;
  /** Lists the bindings of an account in every organization, in unspecified order. */
  listBindings(account: Account): Promise<Binding[]>;
  /** Lists the bindings with the role `owner` on an organization as a whole, by id. */
  listOwners(organizationId: string): Promise<OwnerBinding[]>;
  /** Reports whether any account has the role `operator`. */
  hasOperator(): Promise<boolean>;
  /** Lists the first roles that name a permission that no stored role gives, by organization, then id. */
  listOverreachingRoles(): Promise<Role[]>;
  /** Lists the ids of an organization's projects by id. */
  listProjectIds(organizationId: string): Promise<string[]>;
  /**
   * Locates resources of one type, in unspecified order; an unknown type finds nothing. Organizations and
   * projects are searched for in the installation, all others in the given organization: without one, none is
   * found.
   */
  locate(type: string, ids: readonly string[], organizationId?: string): Promise<ResourceRef[]>;
  /** Lists the organizations that have a resource, by id, for operators of the installation. */
  listOrganizationsOf(type: DocumentType, id: string): Promise<string[]>;
  /** Lists the tokens of one account, or of all, by time of creation, then id. */
  listAccessTokens(account?: Account): Promise<AccessToken[]>;
}

/** A binding that makes an account owner of an organization. */
export interface OwnerBinding {
  readonly bindingId: string;
  readonly account: Account;
}

/** Look-ups of references to resources. */
export interface ReferrerStore {
  /**
   * Lists at most `limit` resources of the same project or organization that refer to a resource or depend on
   * it. The same id elsewhere names another resource.
   */
  list(resource: ResourceRef, limit: number): Promise<ResourceName[]>;
}

/** The audit log. */
export interface AuditStore {
  /** Adds an entry to an organization, or to the last deleted one that had its id. */
  add(entry: Entry): Promise<void>;
  /**
   * Lists the entries of the organization that has an id or was the last to have it, newest first, ties by
   * id; entries of earlier organizations with the id are excluded.
   */
  list(query: AuditQuery): Promise<AuditPage>;
}

/** Selects the audit entries to list. */
export interface AuditQuery {
  readonly organizationId: string;
  /** Filters the entry's JSON, with proto field names; absent: every entry matches. */
  readonly filter?: KqlNode;
  readonly limit: number;
  readonly after?: AuditPlace;
  readonly now: Date;
  /** The budget of the request; absent: the list gets its own. */
  readonly budget?: WorkBudget;
}

/** A place in the order of entries: newest first, then id. */
export interface AuditPlace {
  /** Microseconds since 1970. */
  readonly time: number;
  readonly id: string;
}

/** A page of audit entries, which may be short even if more follow. */
export interface AuditPage {
  readonly entries: readonly Entry[];
  readonly next?: AuditPlace;
}

/** The stored response to a call with a request id. */
export interface AnsweredRequest {
  readonly account: Account;
  readonly requestId: string;
  /** The hash of the request. */
  readonly requestHash: Uint8Array;
  /** Encrypted. */
  readonly answer: Uint8Array;
  readonly expireTime: Date;
}

/** The stored responses to calls with a request id. */
export interface AnsweredRequestStore {
  /** Finds the response to a call that has not expired at `now`; undefined if there is none. */
  find(account: Account, requestId: string, now: Date): Promise<AnsweredRequest | undefined>;
  /** Stores a response, replacing an expired one, and deletes others that have expired at `now`. */
  keep(answered: AnsweredRequest, now: Date): Promise<void>;
}

/** Page components. */
export interface PageComponentStore
  extends Pick<DocumentStore<PageComponent>, "get" | "getMany" | "list"> {
  /** Returns the page and position of a component; NOT_FOUND if there is none. */
  locate(id: string): Promise<{ readonly pageId: string; readonly position: number }>;
  /**
   * Creates a component on a page; components at its position or later move by one. `check` gets the
   * resulting places of all components. ALREADY_EXISTS if the id is taken.
   */
  create(
    value: PageComponent,
    place: DocumentExtras["page_component"],
    check: (page: readonly PagePlace[]) => void,
  ): Promise<Stored<PageComponent>>;
  /**
   * Replaces a component with the result of `change`. If that changes its group or whether it is a filter,
   * `check` gets the resulting places of all components of the page, in page order. NOT_FOUND if there is
   * none.
   */
  update(
    id: string,
    change: (current: Stored<PageComponent>) => PageComponent,
    check?: (page: readonly PagePlace[]) => void,
  ): Promise<Stored<PageComponent>>;
  /**
   * Deletes a component unless `check`, which also gets the places of the others, throws. Returns its page and
   * the revision of the deletion. NOT_FOUND if there is none.
   */
  delete(
    id: string,
    check: (current: Stored<PageComponent>, page: readonly PagePlace[]) => void,
  ): Promise<{ readonly pageId: string; readonly revision: number }>;
  /**
   * Reorders the components of a page by the list of all their ids that `decide` returns. NOT_FOUND if there
   * is no such page.
   */
  reorder(pageId: string, decide: (page: readonly PagePlace[]) => readonly string[]): Promise<void>;
}

/** The webhooks of projects, for the announcement of changes. */
export interface WebhookStore {
  /** Lists all webhooks of a project by id. */
  list(projectId: string): Promise<readonly Webhook[]>;
}

/** Video protection rulesets, for playback. */
export interface RulesetStore {
  /** Lists all rulesets of a project by id. */
  list(projectId: string): Promise<readonly VideoProtectionRuleset[]>;
}

/** Sign-in integrations, at most one per project, by the project's id. */
export interface SignInIntegrationStore {
  /** Finds the integration of a project; undefined if there is none. */
  find(projectId: string): Promise<Stored<SignInIntegration> | undefined>;
  /** Creates or replaces an integration with the result of `change`. */
  put(
    projectId: string,
    change: (current: Stored<SignInIntegration> | undefined) => SignInIntegration,
  ): Promise<Stored<SignInIntegration>>;
}

/** Secrets of the installation, shared by all of its processes. */
export interface SecretStore {
  /** Returns the secret with a name, created by `create` if missing; concurrent callers all get the same. */
  getOrCreate(name: string, create: () => Uint8Array): Promise<Uint8Array>;
}
