import type { CreativeWork } from "../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import type { Entity } from "../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import type { Event } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import type { AnnotationType } from "../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import type { SignInIntegration } from "../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import type { Transaction } from "../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import type { PageComponent } from "../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { VideoProtectionRuleset } from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import type { Billionths } from "../domain/money.ts";
import type { PagePlace } from "../domain/page-component/layout.ts";
import type { Binding, ResourceRef } from "../domain/permissions.ts";
import type { ContentImport } from "./content-import.ts";
import type { Dataset } from "./dataset.ts";
import type {
  AnnotationStore,
  BannerCollectionStore,
  ContentStore,
  OfferStore,
  PageStore,
} from "./delivery-store.ts";
import type { EntitlementStore, LeaseStore, VideoStore } from "./playback-store.ts";
import type { ViewerTokenKeyStore } from "./viewer-token-key-store.ts";

/**
 * Everything that the product keeps, as one contract that every engine fulfils. The suite
 * `test/storage/store.contract.ts` holds an engine to it.
 *
 * - Ids are compared byte for byte: `a` and `A` are two ids. Text is ordered by code points.
 * - An answered write survives the death of the process and of the machine.
 * - A method that takes ids answers what it finds; an empty list of ids finds nothing.
 * - Two writers at once behave as one after the other. A callback that decides a write is called
 *   inside the write's transaction, with the newest state; what it throws undoes the transaction and
 *   reaches the caller. It must not wait for anything.
 * - Failures are `DomainError`s: NOT_FOUND `RESOURCE_NOT_FOUND`, ALREADY_EXISTS `ALREADY_EXISTS`,
 *   UNAVAILABLE `DATABASE_UNAVAILABLE`.
 */
export interface Store extends ContentImport {
  readonly access: AccessStore;
  readonly annotations: AnnotationStore;
  readonly annotationTypes: GetStore<AnnotationType>;
  readonly bannerCollections: BannerCollectionStore;
  readonly creativeWorks: ContentStore<CreativeWork>;
  readonly entities: ContentStore<Entity>;
  readonly entitlements: EntitlementStore;
  readonly events: ContentStore<Event>;
  readonly leases: LeaseStore;
  readonly offers: OfferStore;
  readonly pageComponents: PageComponentStore;
  readonly pages: PageStore;
  readonly rulesets: RulesetStore;
  readonly secrets: SecretStore;
  readonly signInIntegrations: SignInIntegrationStore;
  readonly transactions: TransactionStore;
  readonly viewerTokenKeys: ViewerTokenKeyStore;
  readonly videos: VideoStore;

  /** Loads a dataset into an empty store, all or nothing; FAILED_PRECONDITION if it is not empty. */
  load(dataset: Dataset): Promise<void>;
  /** Tells whether the store holds no organization. */
  isEmpty(): Promise<boolean>;
  /**
   * A number that is another after every change of anything: by this store at once, by others within
   * a second. Never waits.
   */
  version(): number;
  /** A number that is another after every change of a project's content; NOT_FOUND without one. */
  projectRevision(projectId: string): Promise<number>;
  /** Returns when the database answers; UNAVAILABLE otherwise. */
  ping(): Promise<void>;
  /** Lets go of the database; no method may be called afterwards. */
  close(): Promise<void>;
}

/**
 * A message as it is stored. `revision` differs after every change of the message and never comes
 * back, also not when an id is deleted and made again.
 */
export interface Stored<T> {
  readonly value: T;
  readonly revision: number;
}

/** Reads one kind of message by id. */
export interface GetStore<T> {
  /** Gets one message; NOT_FOUND if there is none. */
  get(id: string): Promise<Stored<T>>;
}

/** Reads and changes one kind of message. */
export interface UpdateStore<T> extends GetStore<T> {
  /** Puts what `change` returns in the place of the message; NOT_FOUND if there is none. */
  update(id: string, change: (current: Stored<T>) => T): Promise<Stored<T>>;
}

/** Who calls with an access token. */
export interface Account {
  readonly id: string;
  readonly organizationId: string;
}

/** Which project a public or preview key stands for. */
export interface ProjectKey {
  readonly projectId: string;
  readonly organizationId: string;
  readonly kind: ProjectKeyKind;
}

/** A public key sees what is published; a preview key sees everything. */
export type ProjectKeyKind = "public" | "preview";

/** An access token as the operator sees it; the token itself is nowhere kept. */
export interface AccessTokenInfo {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly createTime: Date;
  readonly expireTime?: Date;
  readonly revokeTime?: Date;
}

/** A new access token: its SHA-256 is all that is kept of it. */
export interface NewAccessToken {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly hash: Uint8Array;
  readonly createTime: Date;
  readonly expireTime?: Date;
}

/** Credentials, and who may do what. */
export interface AccessStore {
  /** Finds the account of a token that is neither revoked nor expired at `now`. */
  findAccount(tokenHash: Uint8Array, now: Date): Promise<Account | undefined>;
  /** Finds the project of a key. */
  findProjectKey(keyHash: Uint8Array): Promise<ProjectKey | undefined>;
  /** Lists what is granted to an account, in no promised order. */
  listBindings(accountId: string): Promise<Binding[]>;
  /** Lists the ids of an organization's projects by id. */
  listProjectIds(organizationId: string): Promise<string[]>;
  /** Finds where resources of one type lie, in no promised order; an unknown type finds nothing. */
  locate(type: string, ids: readonly string[]): Promise<ResourceRef[]>;
  /** Keeps a new token; NOT_FOUND if the account does not exist. */
  createAccessToken(token: NewAccessToken): Promise<void>;
  /** Lists tokens by time of creation, then id; of one account, or of all. */
  listAccessTokens(accountId?: string): Promise<AccessTokenInfo[]>;
  /** Ends a token's life at `now`; a second time changes nothing. NOT_FOUND if there is none. */
  revokeAccessToken(id: string, now: Date): Promise<void>;
  /** Keeps a new key of a project; NOT_FOUND if the project does not exist. */
  createProjectKey(projectId: string, kind: ProjectKeyKind, hash: Uint8Array): Promise<void>;
}

/** Page components. */
export interface PageComponentStore {
  /** Gets components, in no promised order. */
  getMany(ids: readonly string[]): Promise<Stored<PageComponent>[]>;
  /**
   * Puts what `change` returns in the place of a component. `change` also gets the places of all
   * components of the same page, in page order, itself included.
   */
  update(
    id: string,
    change: (current: Stored<PageComponent>, page: readonly PagePlace[]) => PageComponent,
  ): Promise<Stored<PageComponent>>;
}

/** Which rulesets to list. */
export interface RulesetQuery {
  readonly projectId: string;
  readonly limit: number;
  /** Continues behind this id. */
  readonly after?: string;
}

/** A page of rulesets. */
export interface RulesetPage {
  readonly rulesets: readonly VideoProtectionRuleset[];
  /** The last id of the page if more follow. */
  readonly next?: string;
}

/** Video protection rulesets. */
export interface RulesetStore extends UpdateStore<VideoProtectionRuleset> {
  /** Lists all rulesets of a project by id. */
  list(projectId: string): Promise<readonly VideoProtectionRuleset[]>;
  /** Lists a page of a project's rulesets by id. */
  listPage(query: RulesetQuery): Promise<RulesetPage>;
  /** Keeps a new ruleset under its id; ALREADY_EXISTS if the id is taken. */
  create(ruleset: VideoProtectionRuleset): Promise<Stored<VideoProtectionRuleset>>;
  /** Deletes a ruleset that `check` lets go; NOT_FOUND if there is none. */
  delete(id: string, check: (current: Stored<VideoProtectionRuleset>) => void): Promise<void>;
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

/** Which transactions to list. */
export interface TransactionQuery {
  readonly projectIds: readonly string[];
  /** Every one of these must be the transaction's billing id; none means any transaction. */
  readonly billingTransactionIds: readonly string[];
  readonly limit: number;
  /** Continues behind this place. */
  readonly after?: TransactionPlace;
  readonly withSummary: boolean;
}

/** A place in the order of transactions: newest first, then id. */
export interface TransactionPlace {
  /** Microseconds since 1970. */
  readonly createTime: number;
  readonly id: string;
}

/** A page of transactions, and sums over all that the query lets through, from one snapshot. */
export interface TransactionPage {
  readonly transactions: readonly Transaction[];
  /** The last place of the page if more follow. */
  readonly next?: TransactionPlace;
  readonly summary?: {
    readonly totalCount: number;
    /** Sums of `total_amount` over captured transactions that are no tests, by currency code. */
    readonly revenue: ReadonlyMap<string, Billionths>;
  };
}

/** Transactions. */
export interface TransactionStore {
  /** Lists by time of creation, newest first, ties by id. */
  list(query: TransactionQuery): Promise<TransactionPage>;
}

/** Secrets of the installation, shared by all of its processes. */
export interface SecretStore {
  /** Gets the secret of a name; the first caller's `create` makes it, everybody gets the same. */
  getOrCreate(name: string, create: () => Uint8Array): Promise<Uint8Array>;
}
