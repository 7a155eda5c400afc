import type { Change } from "../../../gen/svc/studio/cms/change/v1/change_pb.ts";
import type { Record as TransferRecord } from "../../../gen/svc/transfer/v1/record_pb.ts";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import type { DocumentPage, DocumentQuery } from "./document-store.ts";

/** A change to record. */
export interface NewChange {
  readonly organizationId: string;
  /** The last revision of the project that the change has written. */
  readonly revision: number;
  /** The number of its first part; the parts of a revision are distinct. */
  readonly part: number;
  /** The hash of the changed paths of an update that may belong to the change before; empty: it may not. */
  readonly joinedBy: string;
  /** The change without values. */
  readonly change: Change;
  /** The states before the change, in the order of its resources; undefined: there is none to keep. */
  readonly before: readonly (TransferRecord | undefined)[];
}

/** The states of a changed resource. */
export interface ChangedStates {
  /** Absent: it was created, or no states are kept. */
  readonly before?: TransferRecord;
  /** The state before its next change; absent: there is none, or none is kept. */
  readonly after?: TransferRecord;
  /** True if the history has no later change of it. */
  readonly isNewest: boolean;
  /** The last revision of the change: a resource with a later one was written since. */
  readonly revision: number;
}

/** The changes that are kept. */
export interface Retention {
  /** The time of the oldest change. */
  readonly any: Date;
  /** The time of the oldest one among the newest changes of a resource. */
  readonly newest: Date;
  /** The maximum size of the changes of a project. */
  readonly bytes: number;
}

/** A place in the order of projects and revisions. */
export interface HistoryPlace {
  readonly projectId: string;
  readonly revision: number;
  readonly part: number;
  /** The size of the changes of the project down to the place. */
  readonly bytes: number;
}

/** The history of projects. */
export interface HistoryStore {
  /**
   * Records a change in the transaction that makes it. A joinable update of the same paths of one resource by the same
   * account within a minute belongs to the change before. Returns the bytes of its states and its document.
   */
  add(change: NewChange): Promise<number>;
  /**
   * Records that resources of a project were written after a revision without changes: the states after their last
   * changes are not kept. Resources without history are skipped.
   */
  addGaps(projectId: string, since: { readonly after: number; readonly now: Date }): Promise<void>;
  /** Lists the changes of projects without values as `show` returns them, newest first, ties by id. */
  list(query: DocumentQuery, show?: (change: Change) => Change): Promise<DocumentPage<Change>>;
  /**
   * Returns a change of an organization, and the states of its resources by their index: those that are no longer kept
   * are omitted. NOT_FOUND if there is no such change. Other calls run between two resources.
   */
  get(
    id: string,
    organizationId: string,
    budget?: WorkBudget,
  ): Promise<{ readonly change: Change; readonly states: readonly ChangedStates[] }>;
  /**
   * Deletes the oldest changes of a project, at most 500, until its history has at most `maxBytes`. In the transaction that
   * records a change, it keeps the history from growing further.
   */
  trim(projectId: string, maxBytes: number): Promise<void>;
  /**
   * Deletes changes that are no longer kept, among at most `limit` of one project that precede a place in the order of
   * projects and revisions. Returns the place of the oldest one; undefined if there are none.
   */
  prune(
    key: Retention,
    before: HistoryPlace | undefined,
    limit: number,
  ): Promise<HistoryPlace | undefined>;
}
