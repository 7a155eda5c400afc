import type { KindMessage, KindsWith } from "../domain/kinds.ts";
import type { KqlNode } from "../domain/kql/index.ts";
import type { DocumentOrder } from "../domain/messages/document-order.ts";
import type { WorkBudget } from "../domain/work-budget.ts";
import type { Stored } from "./stored.ts";

/** A kind of resource that is kept as a document. */
export type DocumentType = KindsWith<"keep", "content" | "document">;

/** The message of each kind that is kept as a document. */
export type DocumentMessages = { readonly [Type in DocumentType]: KindMessage<Type> };

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

/** The documents of one kind, as the management interface writes them. */
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
   * Replaces the document with what `change` returns. What equals it is not written: the document and
   * every revision stay as they are, and the document is what is returned. NOT_FOUND if there is none.
   */
  update(id: string, change: (current: Stored<T>) => T): Promise<Stored<T>>;
  /**
   * Does the same, and writes also what equals the document, under a new revision: for a change of what
   * is kept beside the message.
   */
  touch(id: string, change: (current: Stored<T>) => T): Promise<Stored<T>>;
  /**
   * Deletes a document unless `check` throws, with all that cannot be without it. What else refers to it
   * keeps its id. NOT_FOUND if there is none.
   */
  delete(id: string, check: (current: Stored<T>) => void): Promise<void>;
}

/** The documents of every kind but page components, whose store keeps their order on the page. */
export type Documents = {
  readonly [Type in Exclude<DocumentType, "page_component">]: DocumentStore<
    DocumentMessages[Type],
    Extra<Type>
  >;
};
