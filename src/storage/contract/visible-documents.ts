import type { DeliveredKind, KindMessage } from "../../domain/kinds.ts";
import type { VisibilityScope } from "./content-store.ts";
import type { DocumentPage, DocumentPlace } from "./document-store.ts";

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
  readonly after?: DocumentPlace;
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
