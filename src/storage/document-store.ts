import type { CreativeWork } from "../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import type { Entity } from "../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import type { Event } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import type { Offer } from "../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import type { BannerCollection } from "../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import type { Action } from "../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import type { Annotation } from "../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import type { AnnotationType } from "../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import type { AccessToken } from "../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import type { Account } from "../../gen/svc/studio/iam/account/v1/account_pb.ts";
import type { Binding } from "../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import type { Organization } from "../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
import type { Project } from "../../gen/svc/studio/iam/project/v1/project_pb.ts";
import type { ProjectKey } from "../../gen/svc/studio/iam/project_key/v1/project_key_pb.ts";
import type { Role } from "../../gen/svc/studio/iam/role/v1/role_pb.ts";
import type { Transaction } from "../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import type { Page } from "../../gen/svc/studio/ott/page/v1/page_pb.ts";
import type { PageComponent } from "../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { VideoProtectionRuleset } from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import type { Video } from "../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import type { KqlNode } from "../domain/kql/index.ts";
import type { DocumentOrder } from "../domain/messages/document-order.ts";
import type { WorkBudget } from "../domain/work-budget.ts";
import type { Stored } from "./stored.ts";

/** The message of each resource type that is kept as a document. */
export interface DocumentMessages {
  organization: Organization;
  project: Project;
  account: Account;
  access_token: AccessToken;
  project_key: ProjectKey;
  role: Role;
  binding: Binding;
  entity: Entity;
  creative_work: CreativeWork;
  event: Event;
  video: Video;
  action: Action;
  annotation_type: AnnotationType;
  annotation: Annotation;
  banner_collection: BannerCollection;
  page: Page;
  page_component: PageComponent;
  ruleset: VideoProtectionRuleset;
  offer: Offer;
  transaction: Transaction;
}

/** A resource type that is kept as a document. */
export type DocumentType = keyof DocumentMessages;

/** What is kept beside the message itself, and given when it is created. */
export interface DocumentExtras {
  /** SHA-256 of the token. */
  access_token: { readonly hash: Uint8Array };
  /** SHA-256 of the key. */
  project_key: { readonly hash: Uint8Array };
  /** What the action signs with. */
  action: { readonly secret: string };
  /** Its place on the page, from 0: those that lie there or behind move on by one. Absent: the end. */
  page_component: { readonly pageId: string; readonly position?: number };
  /** Empty: none. */
  transaction: { readonly billingTransactionId: string };
}

type Extra<Type extends DocumentType> = Type extends keyof DocumentExtras
  ? [extra: DocumentExtras[Type]]
  : [];

/** A place in an order: the value that is ordered by, null in an order by id, and the id. */
export interface DocumentPlace {
  readonly key: string | number | null;
  readonly id: string;
}

/** Which documents to list. */
export interface DocumentQuery {
  /** What they lie in: an organization, a project, an account or a page, as the type has it. */
  readonly parentIds: readonly string[];
  /** Takes the document's JSON with proto field names; absent: everything. */
  readonly filter?: KqlNode;
  readonly order: DocumentOrder;
  readonly limit: number;
  /** Continues behind this place. */
  readonly after?: DocumentPlace;
  /** The time that `now` in a filter means. */
  readonly now: Date;
  /** The request's; absent: one of this list's own. */
  readonly budget?: WorkBudget;
}

/** A page of documents. */
export interface DocumentPage<T> {
  /** At most as many as the limit; fewer also where the budget is spent. */
  readonly values: readonly T[];
  /** Where to go on, if more may follow. */
  readonly next?: DocumentPlace;
}

/** Everything that is made and changed through the management interface, of one resource type. */
export interface DocumentStore<T, Extras extends readonly unknown[] = []> {
  /** Gets one document; NOT_FOUND if there is none. */
  get(id: string): Promise<Stored<T>>;
  /** Gets documents, in no promised order. */
  getMany(ids: readonly string[]): Promise<Stored<T>[]>;
  /** Lists in the order asked for, ties by id, what has no value last. */
  list(query: DocumentQuery): Promise<DocumentPage<T>>;
  /**
   * Keeps a new document under its id; ALREADY_EXISTS if the id is taken, NOT_FOUND if what it lies in
   * does not exist.
   */
  create(value: T, ...extras: Extras): Promise<Stored<T>>;
  /**
   * Puts what `change` returns in the place of the document, which stays as it is if that is what is
   * returned; NOT_FOUND if there is none.
   */
  update(id: string, change: (current: Stored<T>) => T): Promise<Stored<T>>;
  /**
   * Deletes a document that `check` lets go, with all its parts: what cannot be without it. What else
   * refers to it keeps its id. NOT_FOUND if there is none.
   */
  delete(id: string, check: (current: Stored<T>) => void): Promise<void>;
}

/** The documents of every type but page components, which lie on pages: those have a store of their own. */
export type Documents = {
  readonly [Type in Exclude<DocumentType, "page_component">]: DocumentStore<
    DocumentMessages[Type],
    Extra<Type>
  >;
};
