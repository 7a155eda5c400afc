import type { Entry } from "../../../gen/svc/studio/iam/audit/v1/entry_pb.ts";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import type { KqlNode } from "../../domain/kql/node.ts";

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

/** The audit log. */
export interface AuditStore {
  /** Adds entries to an organization, or to the last deleted one that had its id. */
  add(...entries: readonly Entry[]): Promise<void>;
  /**
   * Lists the entries of the organization that has an id or was the last to have it. Newest first, ties by id;
   * entries of earlier organizations with the id are excluded.
   */
  list(query: AuditQuery): Promise<AuditPage>;
  /** Finds the time of the newest entry of all organizations; undefined without entries. */
  findNewest(): Promise<Date | undefined>;
  /**
   * Deletes at most `limit` entries of one organization older than a time: the next one, by uid, that has such entries.
   * Examines at most {@link MOST_EXAMINED} organizations. Returns the last uid that is done; undefined: all are.
   */
  prune(before: Date, after: string | undefined, limit: number): Promise<string | undefined>;
}
