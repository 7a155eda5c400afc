import type { CreativeWork } from "../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import type { Entity } from "../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import type { Event } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import type { AccessToken } from "../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import type { Entry } from "../../gen/svc/studio/iam/audit/v1/entry_pb.ts";
import type { SignInIntegration } from "../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import type { PageComponent } from "../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { VideoProtectionRuleset } from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import type { Binding, ResourceRef } from "../domain/access/permissions.ts";
import type { KqlNode } from "../domain/kql/index.ts";
import type { ResourceName } from "../domain/messages/references.ts";
import type { PagePlace } from "../domain/pages/components/layout.ts";
import type { WorkBudget } from "../domain/work-budget.ts";
import type { ActionRunAdmin, ActionRunStore } from "./action-run-store.ts";
import type { Dataset } from "./dataset.ts";
import type {
  AnnotationStore,
  BannerCollectionStore,
  ContentStore,
  OfferStore,
  PageStore,
} from "./delivery-store.ts";
import type { DocumentExtras, DocumentStore, Documents, DocumentType } from "./document-store.ts";
import type { BillingIntegrationStore, EntitlementAdmin } from "./monetization-store.ts";
import type { EntitlementStore, LeaseStore, VideoStore } from "./playback-store.ts";
import type { RecordExport } from "./record-export.ts";
import type { RecordImport } from "./record-import.ts";
import type { Stored } from "./stored.ts";
import type { TransactionStore } from "./transaction-store.ts";
import type { ViewerTokenKeyStore } from "./viewer-token-key-store.ts";
import type { WriteScope } from "./write-scope.ts";

export type { WriteScope } from "./write-scope.ts";

/**
 * The resources of one organization: ids are unique in it, and every look-up by id is made in it alone.
 * Only those of organizations and projects are unique in the installation.
 */
export interface OrganizationStore {
  readonly organizationId: string;
  readonly documents: Documents;
  readonly entitlementAdmin: EntitlementAdmin;
  readonly pageComponents: PageComponentStore;
  readonly runAdmin: ActionRunAdmin;
}

/**
 * Everything that the product keeps, as one contract that every engine fulfils. The suite
 * `test/storage/store.contract.ts` holds an engine to it.
 *
 * - Ids are compared byte for byte: `a` and `A` are two ids. Text is ordered by code points.
 * - An answered write survives the death of the process and of the machine.
 * - A method that takes ids answers what it finds; an empty list of ids finds nothing.
 * - Every write has a scope (`WriteScope`): that of the transaction around it or, on its own, that of
 *   the project or organization of what it writes. Writes whose scopes have a part in common take
 *   effect one after the other, each seeing all that those before it wrote; others may run at the same
 *   time. An id that two of them create at once is given to one, the other fails with ALREADY_EXISTS.
 * - A callback that decides a write is called inside the write's transaction, with the newest state; what
 *   it throws undoes the transaction and reaches the caller. It must not wait for anything. It may be
 *   called again, so it must change nothing outside the store.
 * - No read is older than what `knownRevision` or `accessVersion` returned before it began.
 * - Failures are `DomainError`s: NOT_FOUND `RESOURCE_NOT_FOUND`, ALREADY_EXISTS `ALREADY_EXISTS`,
 *   UNAVAILABLE `DATABASE_UNAVAILABLE`.
 */
export interface Store extends RecordExport, RecordImport {
  readonly access: AccessStore;
  readonly actionRuns: ActionRunStore;
  readonly annotations: AnnotationStore;
  readonly answeredRequests: AnsweredRequestStore;
  readonly audit: AuditStore;
  readonly bannerCollections: BannerCollectionStore;
  readonly billingIntegrations: BillingIntegrationStore;
  readonly creativeWorks: ContentStore<CreativeWork>;
  readonly entities: ContentStore<Entity>;
  readonly entitlements: EntitlementStore;
  readonly events: ContentStore<Event>;
  readonly leases: LeaseStore;
  readonly offers: OfferStore;
  readonly pages: PageStore;
  readonly referrers: ReferrerStore;
  readonly rulesets: RulesetStore;
  readonly secrets: SecretStore;
  readonly signInIntegrations: SignInIntegrationStore;
  readonly transactions: TransactionStore;
  readonly viewerTokenKeys: ViewerTokenKeyStore;
  readonly videos: VideoStore;

  /** Opens the resources of an organization, whether or not it exists. */
  in(organizationId: string): OrganizationStore;
  /**
   * Runs writes as one: what `run` does through the store that it gets is kept together or, if it
   * throws, not at all. The scope is locked first and must contain all that `run` decides by or writes;
   * a transaction inside another adds nothing to the scope of the outer one. `run` must wait for nothing
   * but that store, and change nothing outside it: where two transactions stood in each other's way, one
   * is undone and its `run` called again.
   */
  transaction<T>(scope: WriteScope, run: (store: Store) => Promise<T>): Promise<T>;
  /**
   * Runs reads that all see one moment, with the project's revision at that moment, which is at least
   * `atLeast` if that was known here. NOT_FOUND without such a project. `run` may wait for other things,
   * but holds up the removal of old data meanwhile.
   */
  snapshot<T>(
    scope: SnapshotScope,
    run: (reads: Reads, revision: number) => Promise<T>,
  ): Promise<T>;
  /**
   * Loads a dataset into an empty store, all or nothing; FAILED_PRECONDITION if it is not empty. What an
   * action signs with is made by `createSecret`; without it an action cannot send until it gets a secret.
   */
  load(dataset: Dataset, createSecret?: () => string): Promise<void>;
  /** Tells whether the store holds no organization. */
  isEmpty(): Promise<boolean>;
  /**
   * Returns a project's revision as it is known here, a number that is another after every change of
   * what the project holds: after those of this store at once, after those of others within a second.
   * Undefined without such a project. Never waits.
   */
  knownRevision(projectId: string): number | undefined;
  /**
   * Returns a number that is another after every change of signing keys, credentials and roles: after
   * those of this store at once, after those of others within a second. Never waits.
   */
  accessVersion(): number;
  /** Tells how far the database can be used; UNAVAILABLE if it does not answer. */
  readiness(): Promise<Readiness>;
  /** Lets go of the database; no method may be called afterwards. */
  close(): Promise<void>;
}

/** What a snapshot is of. */
export interface SnapshotScope {
  readonly projectId: string;
  /** A revision that `knownRevision` returned. */
  readonly atLeast?: number;
}

/** What delivery reads of a project. */
export type Reads = Pick<
  Store,
  | "annotations"
  | "bannerCollections"
  | "creativeWorks"
  | "entities"
  | "entitlements"
  | "events"
  | "offers"
  | "pages"
  | "rulesets"
  | "videos"
>;

/** How far a database can be used. */
export interface Readiness {
  /** The number of its last migration. */
  readonly schema: number;
  /** Whether the server that writes answers. */
  readonly primary: boolean;
  /** Whether reads go to a replica; absent if there is none. */
  readonly replica?: "used" | "behind" | "away";
}

/** An account, which is named by its id in its organization. */
export interface Account {
  readonly id: string;
  readonly organizationId: string;
}

/** Which project a public or preview key stands for. */
export interface ProjectKey {
  readonly projectId: string;
  readonly organizationId: string;
  readonly kind: ProjectKeyKind;
  /** The revision of the project when its key was found: the key is valid until it is another. */
  readonly revision?: number;
}

/** A public key sees what is published; a preview key sees everything. */
export type ProjectKeyKind = "public" | "preview";

/** Credentials, and who may do what. */
export interface AccessStore {
  /** Finds the account of a token that is neither revoked nor expired at `now`. */
  findAccount(tokenHash: Uint8Array, now: Date): Promise<Account | undefined>;
  /** Finds the project of a key. */
  findProjectKey(keyHash: Uint8Array): Promise<Required<ProjectKey> | undefined>;
  /**
   * Finds the uid of a project: random, made with it, never that of another one, also not of one that
   * takes its id later. What may outlive a project is bound to it. Undefined: there is no such project.
   */
  findProjectUid(projectId: string): Promise<string | undefined>;
  /** Lists what is granted to an account, in whichever organization, in no promised order. */
  listBindings(account: Account): Promise<Binding[]>;
  /** Lists the bindings with the role `owner` on an organization as a whole, by id. */
  listOwners(organizationId: string): Promise<OwnerBinding[]>;
  /** Tells whether an account of any organization holds what only `operator` gives. */
  hasOperator(): Promise<boolean>;
  /** Lists the ids of an organization's projects by id. */
  listProjectIds(organizationId: string): Promise<string[]>;
  /**
   * Finds where resources of one type lie, in no promised order; an unknown type finds nothing.
   * Organizations and projects are looked for in the installation, all others in an organization: without
   * one they are not found.
   */
  locate(type: string, ids: readonly string[], organizationId?: string): Promise<ResourceRef[]>;
  /** Lists the organizations that have a resource, by id: for whoever runs the installation. */
  listOrganizationsOf(type: DocumentType, id: string): Promise<string[]>;
  /** Lists tokens by time of creation, then id; of one account, or of all. */
  listAccessTokens(account?: Account): Promise<AccessToken[]>;
}

/** A binding that makes an account owner of an organization. */
export interface OwnerBinding {
  readonly bindingId: string;
  readonly account: Account;
}

/** What refers to resources. */
export interface ReferrerStore {
  /**
   * Lists what refers to a resource or cannot be without it, at most so many, in its own project or
   * organization: what lies elsewhere may name its id, but means something else.
   */
  list(resource: ResourceRef, limit: number): Promise<ResourceName[]>;
}

/** Who wrote what. */
export interface AuditStore {
  /** Keeps an entry of an organization that exists, or of the last one that had its id. */
  add(entry: Entry): Promise<void>;
  /**
   * Lists the entries of the organization that has an id or had it last, newest first, ties by id; those
   * of an earlier one that had the id are not among them.
   */
  list(query: AuditQuery): Promise<AuditPage>;
}

/** Which audit entries to list. */
export interface AuditQuery {
  readonly organizationId: string;
  /** Takes the entry's JSON with proto field names; absent: everything. */
  readonly filter?: KqlNode;
  readonly limit: number;
  readonly after?: AuditPlace;
  readonly now: Date;
  /** The request's; absent: one of this list's own. */
  readonly budget?: WorkBudget;
}

/** A place in the order of entries: newest first, then id. */
export interface AuditPlace {
  /** Microseconds since 1970. */
  readonly time: number;
  readonly id: string;
}

/** A page of audit entries; it may be short although more follow. */
export interface AuditPage {
  readonly entries: readonly Entry[];
  readonly next?: AuditPlace;
}

/** An answer to a call that may be repeated. */
export interface AnsweredRequest {
  readonly account: Account;
  readonly requestId: string;
  /** Of what was asked. */
  readonly requestHash: Uint8Array;
  /** Sealed. */
  readonly answer: Uint8Array;
  readonly expireTime: Date;
}

/** Answers to calls with a request id. */
export interface AnsweredRequestStore {
  /** Finds the answer to a call that has not expired at `now`. */
  find(account: Account, requestId: string, now: Date): Promise<AnsweredRequest | undefined>;
  /** Keeps an answer, in the place of one that has expired, and forgets others that have at `now`. */
  keep(answered: AnsweredRequest, now: Date): Promise<void>;
}

/** Page components. */
export interface PageComponentStore
  extends Pick<DocumentStore<PageComponent>, "get" | "getMany" | "list"> {
  /** Tells where a component lies; NOT_FOUND if there is none. */
  locate(id: string): Promise<{ readonly pageId: string; readonly position: number }>;
  /**
   * Keeps a new component on a page, those at its place or behind one further. `check` gets the places
   * of all components as they would be. ALREADY_EXISTS if the id is taken.
   */
  create(
    value: PageComponent,
    place: DocumentExtras["page_component"],
    check: (page: readonly PagePlace[]) => void,
  ): Promise<Stored<PageComponent>>;
  /**
   * Puts what `change` returns in the place of a component. `change` also gets the places of all
   * components of the same page, in page order, itself included.
   */
  update(
    id: string,
    change: (current: Stored<PageComponent>, page: readonly PagePlace[]) => PageComponent,
  ): Promise<Stored<PageComponent>>;
  /** Deletes a component that `check` lets go; it also gets the places of the others. */
  delete(
    id: string,
    check: (current: Stored<PageComponent>, page: readonly PagePlace[]) => void,
  ): Promise<void>;
  /** Puts the components of a page in the order of ids that `decide` returns: all of them. */
  reorder(pageId: string, decide: (page: readonly PagePlace[]) => readonly string[]): Promise<void>;
}

/** Video protection rulesets, as playback needs them. */
export interface RulesetStore {
  /** Lists all rulesets of a project by id. */
  list(projectId: string): Promise<readonly VideoProtectionRuleset[]>;
}

/** Sign-in integrations, one a project at most, by the project's id. */
export interface SignInIntegrationStore {
  /** Finds a project's integration. */
  find(projectId: string): Promise<Stored<SignInIntegration> | undefined>;
  /** Keeps what `change` returns, whether or not there was one. */
  put(
    projectId: string,
    change: (current: Stored<SignInIntegration> | undefined) => SignInIntegration,
  ): Promise<Stored<SignInIntegration>>;
}

/** Secrets of the installation, shared by all of its processes. */
export interface SecretStore {
  /** Gets the secret of a name; the first caller's `create` makes it, everybody gets the same. */
  getOrCreate(name: string, create: () => Uint8Array): Promise<Uint8Array>;
}
