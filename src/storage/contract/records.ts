import type { Record as TransferRecord } from "../../../gen/svc/transfer/v1/record_pb.ts";
import type { DomainError } from "../../domain/base/errors.ts";
import type { RecordItem, RecordKind, StoredRecord } from "../../domain/records/record.ts";
import type { Reference, ResourceName } from "../../domain/references.ts";

/** The outcome of a record in an import. */
export type ImportOutcome = "created" | "updated" | "unchanged";

/** Counts records by outcome. */
export type ImportCounts = Readonly<Record<ImportOutcome, number>>;

/** Counts records by outcome, in total and by kind. */
export interface ImportSummary extends ImportCounts {
  readonly byKind: ReadonlyMap<ImportedRecord["kind"], ImportCounts>;
  /** The projects that changed, with their new revisions. */
  readonly projects: readonly (readonly [id: string, revision: number])[];
}

/** A record whose outcome is decided. */
export interface ImportedRecord {
  /** A draft counts once with its base. */
  readonly kind: RecordKind | "draft";
  /** Of a draft, its release and its resource: `finals/event:match-1`. */
  readonly id: string;
  /** The line of the record, as given. */
  readonly line: number;
}

/** A reference of an imported record to a resource that its project lacks, such as one left by a forced deletion. */
export interface DanglingReference extends Omit<ImportedRecord, "line"> {
  /** The missing resource. */
  readonly to: ResourceName;
}

/** Decides what is written for a record; see {@link ImportOptions}. */
export type ResolveRecord = <Record extends RecordItem>(
  record: Record,
  stored: StoredRecord | undefined,
) => Promise<Record>;

/** Options of an import. */
export interface ImportOptions {
  /** A project that must exist after the import, even if nothing is imported. */
  readonly projectId?: string;
  /** True if the records are a copy; a record of the project `projectId` is then skipped if it exists. */
  readonly isCopy?: boolean;
  /**
   * Returns the record to write for one that was given, of the same kind, id and project; `stored` is absent if there
   * is none. An error rejects the record. Absent: each record replaces the stored one as a whole. With it, records are
   * read and written some at a time, so that it may let other requests run in between.
   */
  readonly resolve?: ResolveRecord;
  /**
   * Called with the error of each rejected record. Such a record is omitted, as if it had not been given: a record that
   * needs it is rejected, too. Absent: the first rejected record ends the import.
   */
  readonly onRejected?: (line: number, error: DomainError) => void;
  /**
   * The times that a record lacks: a new resource gets this one. A stored resource keeps its own, with this one as the
   * update time of a change. Absent: a resource has the times of its record.
   */
  readonly now?: Date;
  /** True to roll everything back at the end. */
  readonly isDryRun?: boolean;
  /** Creates the signing secret of a new action. Absent: an import that creates an action fails. */
  readonly createSecret?: () => string;
  /**
   * Announces the import to the webhooks of each changed project, and ends the known states of its history there;
   * absent: the caller announces and records each change.
   */
  readonly announcement?: { readonly createId: () => string; readonly now: Date };
  /**
   * Called for every record in the order of the batches. Page components follow at the end, when their positions are
   * known.
   */
  readonly onRecord?: (record: ImportedRecord, outcome: ImportOutcome) => void;
  /**
   * Called once everything is read for every dangling reference of a written annotation, annotation type or page
   * component. The annotation type, action or banner collection that it names by a literal id does not exist in its
   * project. A `LineError` that it throws rejects the record.
   */
  readonly onDangling?: (reference: DanglingReference) => void;
  /**
   * Called once everything is read for each missing resource, with the first written record that names it. A draft
   * finds the drafts of its release. Required references are not examined.
   */
  readonly onMissing?: (reference: DanglingReference & Pick<Reference, "field">) => void;
}

/** Imports records. */
export interface RecordImport {
  /**
   * Creates or replaces records by kind and id, in one transaction. A record that differs from the stored one
   * replaces it, with everything derived from it and its index entries. An equal record, with map keys in any order,
   * is not written. If an id occurs twice, the later record wins.
   *
   * Page components are ordered by `mergeOrder`; a change of the position alone counts as an update. The revision of
   * each changed organization and project increases by one step; other revisions stay. Resources of a new one have
   * its first revision. If the batches throw, or a record is rejected without `onRejected`, nothing is written and the
   * error, which names the line, reaches the caller. The batches may be slow, but must not wait for writes to this store: they are
   * awaited inside the transaction, and other writers wait until it ends.
   *
   * - NOT_FOUND: an organization, project, page, account or role that a record needs neither exists nor precedes it.
   * - ALREADY_EXISTS: a record of the kind in another project or organization has the id.
   * - ALREADY_EXISTS: another page of the project has the slug of a page once everything is read.
   * - FAILED_PRECONDITION: the layout of a page is invalid once everything is read; a release that is scheduled or
   *   applied would change.
   * - RESOURCE_EXHAUSTED: a project has too many releases, or a release too many drafts.
   */
  importRecords(
    batches: AsyncIterable<readonly RecordItem[]> | Iterable<readonly RecordItem[]>,
    options?: ImportOptions,
  ): Promise<ImportSummary>;
}

/** Exports the records of a project. */
export interface RecordExport {
  /**
   * Passes the records of a project to `take` in batches, from one snapshot: its organization, the project, and the
   * resources it owns. Kinds are in the order of the record's members, resources of a kind by id in code point order,
   * and page components by page, in page order. Reads the next batch only after `take` has returned, so that memory
   * stays bounded. Omits derived records and every secret. `kinds` are the kinds to export; default: all but releases.
   * A release that is not applied is followed by its drafts, each after its base. NOT_FOUND if the project does not
   * exist.
   */
  exportRecords(
    projectId: string,
    take: (records: readonly TransferRecord[]) => Promise<void> | void,
    kinds?: readonly RecordKind[],
  ): Promise<void>;
}
