import type { Entry } from "../../../gen/svc/studio/iam/audit/v1/entry_pb.ts";
import type { DocumentPage, DocumentQuery } from "./document-store.ts";

/** Selects the audit entries to list. */
export interface AuditQuery extends Omit<DocumentQuery, "order" | "parentIds"> {
  readonly organizationId: string;
}

/** The audit log. */
export interface AuditStore {
  /** Adds entries to an organization, or to the last deleted one that had its id. */
  add(...entries: readonly Entry[]): Promise<void>;
  /**
   * Lists the entries of the organization that has an id or was the last to have it. Newest first, ties by id;
   * entries of earlier organizations with the id are excluded.
   */
  list(query: AuditQuery): Promise<DocumentPage<Entry>>;
  /** Finds the time of the newest entry of all organizations; undefined without entries. */
  findNewest(): Promise<Date | undefined>;
  /**
   * Deletes at most `limit` entries of one organization older than a time: the next one, by uid, that has such entries.
   * Examines at most {@link MOST_EXAMINED} organizations. Returns the last uid that is done; undefined: all are.
   */
  prune(before: Date, after: string | undefined, limit: number): Promise<string | undefined>;
}
