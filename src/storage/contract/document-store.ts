import type { Message } from "@bufbuild/protobuf";
import type { DocumentOrder, OrderPlace } from "../../domain/base/paging.ts";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import type { DeliveredKind, KindMessage, KindsWith, RecordedKind } from "../../domain/kinds.ts";
import type { KqlNode } from "../../domain/kql/index.ts";
import type { VisibilityScope } from "./content-store.ts";

/** A kind of resource stored as a document. */
export type DocumentType = KindsWith<"keep", "content" | "document">;

/** The message of each kind stored as a document. */
export type DocumentMessages = { readonly [Type in DocumentType]: KindMessage<Type> };

/** The values stored with a message, supplied when it is created. */
export interface DocumentExtras {
  /** SHA-256 of the token. */
  access_token: { readonly hash: Uint8Array };
  /** SHA-256 of the key. */
  project_key: { readonly hash: Uint8Array };
  /** The signing secret of the action. */
  action: { readonly secret: string };
  /** The signing secret of the webhook. */
  webhook: { readonly secret: string };
  /** The page of the component. */
  page_component: { readonly pageId: string };
  /** Empty if there is none. */
  transaction: { readonly billingTransactionId: string };
}

/** The arguments with the values of a kind. */
export type Extra<Type extends DocumentType> = Type extends keyof DocumentExtras
  ? [extra: DocumentExtras[Type]]
  : [];

/** Selects the documents to list. */
export interface DocumentQuery {
  /** The parents: organizations, projects, accounts or pages, depending on the type. */
  readonly parentIds: readonly string[];
  /** Filters the document's JSON, with proto field names; absent: every document matches. */
  readonly filter?: KqlNode;
  readonly order: DocumentOrder;
  readonly limit: number;
  /** Continues after this place. */
  readonly after?: OrderPlace;
  /** The value of `now` in a filter. */
  readonly now: Date;
  /** The budget of the request; absent: the list gets its own. */
  readonly budget?: WorkBudget;
}

/** A page of documents. */
export interface DocumentPage<T> {
  /** At most `limit` values; fewer if the budget is spent. */
  readonly values: readonly T[];
  /** The place to continue from; absent if no more follow. */
  readonly next?: OrderPlace;
}

/** The documents of one kind, for the Studio API. */
export interface DocumentStore<T, Extras extends readonly unknown[] = []> {
  /** Returns a document; NOT_FOUND if there is none. */
  get(id: string): Promise<Stored<T>>;
  /** Returns the documents found among some ids, in unspecified order. */
  getMany(ids: readonly string[]): Promise<Stored<T>[]>;
  /**
   * Lists in the requested order, ties by id; documents without a value come last. `show` returns what the caller may see of
   * a document, and the filter tests that. Content is seen as a whole.
   */
  list(query: DocumentQuery, show?: (value: T) => T): Promise<DocumentPage<T>>;
  /** Creates a document; ALREADY_EXISTS if the id is taken, NOT_FOUND if its parent does not exist. */
  create(value: T, ...extras: Extras): Promise<Stored<T>>;
  /**
   * Replaces a document with the result of `change`. An equal result is not written: the document and every
   * revision stay as they are, and the stored document is returned. NOT_FOUND if there is none.
   */
  update(id: string, change: (current: Stored<T>) => T): Promise<Stored<T>>;
  /**
   * Works like `update`, but writes an equal result too, under a new revision, with new values stored with the message
   * if they are given.
   */
  touch(id: string, change: (current: Stored<T>) => T, ...extras: Extras | []): Promise<Stored<T>>;
  /**
   * Deletes a document and its dependents unless `check` throws. Other documents that refer to it keep its
   * id. NOT_FOUND if there is none.
   */
  delete(id: string, check: (current: Stored<T>) => void): Promise<Deletion>;
}

/** The deletion of a document. */
export interface Deletion {
  readonly revision: number;
  /** The dependents with history that were deleted with it; absent: too many. */
  readonly dependents?: readonly DeletedDependent[];
}

/** A document that was deleted with another. */
export interface DeletedDependent {
  readonly kind: RecordedKind;
  readonly before: Message;
  /** The page of a page component, and the component before it; empty: it was the first. */
  readonly pageId?: string;
  readonly predecessorId?: string;
}

/** Selects visible documents by their ids. */
export interface VisibleIds extends VisibilityScope {
  readonly ids: readonly string[];
}

/** Selects a page of visible documents. */
export interface VisibleQuery extends VisibilityScope {
  /** The ids to list; absent: all. */
  readonly ids?: readonly string[];
  readonly limit: number;
  /** Continues after this place. */
  readonly after?: OrderPlace;
  /** The budget of the call: many documents may be read that are not in the page, because their windows are closed. */
  readonly budget?: WorkBudget;
}

/** The documents of the kinds that the Delivery API serves by their standard methods. */
export interface VisibleDocumentStore {
  /** Returns the documents found among some ids, in their order: the first that have 4 MiB together. */
  getMany<Kind extends DeliveredKind>(
    kind: Kind,
    key: VisibleIds,
  ): Promise<readonly KindMessage<Kind>[]>;
  /** Lists in the order of the kind in the Delivery API, ties by id. */
  list<Kind extends DeliveredKind>(
    kind: Kind,
    query: VisibleQuery,
  ): Promise<DocumentPage<KindMessage<Kind>>>;
}

/** Values of which a project, or an organization, has at most one, by its id. */
export interface SingleStore<T> {
  /** Finds the value of a parent; undefined if there is none. */
  find(parentId: string): Promise<Stored<T> | undefined>;
  /**
   * Creates or replaces a value with the result of `change`. An equal result is not written. NOT_FOUND if its parent does not
   * exist.
   */
  put(parentId: string, change: (current: Stored<T> | undefined) => T): Promise<Stored<T>>;
}

/** The documents of every kind except page components, whose store maintains their order on the page. */
export type Documents = {
  readonly [Type in Exclude<DocumentType, "page_component">]: DocumentStore<
    DocumentMessages[Type],
    Extra<Type>
  >;
};

/**
 * A stored message. `revision` changes with every change of the message and is never reused, not even when an id is
 * deleted and created again.
 */
export interface Stored<T> {
  readonly value: T;
  readonly revision: number;
}
