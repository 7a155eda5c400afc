import type { RecordItem, RecordKind } from "../domain/records/record.ts";
import type { ResourceName } from "../domain/references.ts";

/** The outcome of a record in an import. */
export type ImportOutcome = "created" | "updated" | "unchanged";

/** Counts records by outcome. */
export type ImportCounts = Readonly<Record<ImportOutcome, number>>;

/** Counts records by outcome, in total and by kind. */
export interface ImportSummary extends ImportCounts {
  readonly byKind: ReadonlyMap<RecordKind, ImportCounts>;
}

/** A record whose outcome is decided. */
export interface ImportedRecord {
  readonly kind: RecordKind;
  readonly id: string;
}

/** A reference of an imported record to a resource that its project lacks. A forced deletion leaves them. */
export interface DanglingReference extends ImportedRecord {
  /** The missing resource. */
  readonly to: ResourceName;
}

/** Options of an import. */
export interface ImportOptions {
  /** A project that must exist after the import, even if nothing is imported. */
  readonly projectId?: string;
  /** True if the records are a copy; a record of the project `projectId` is then skipped if it exists. */
  readonly isCopy?: boolean;
  /** True to roll everything back at the end. */
  readonly isDryRun?: boolean;
  /** Creates the signing secret of a new action. Absent: an import that creates an action fails. */
  readonly createSecret?: () => string;
  /** Announces the import to the webhooks of each changed project; absent: to none. */
  readonly announcement?: { readonly createId: () => string; readonly now: Date };
  /**
   * Called for every record in the order of the batches, except page components, which follow at the end,
   * when their positions are known.
   */
  readonly onRecord?: (record: ImportedRecord, outcome: ImportOutcome) => void;
  /**
   * Called at the end for every written annotation, annotation type and page component whose annotation type, action
   * or banner collection, by its literal id, its project lacks once everything is read.
   */
  readonly onDangling?: (reference: DanglingReference) => void;
}

/** Imports records. */
export interface RecordImport {
  /**
   * Creates or replaces records by kind and id, in one transaction. A record that differs from the stored one
   * replaces it, with everything derived from it and its index entries; an equal one, whatever the order of
   * its map keys, is left alone. If an id occurs twice, the later record wins.
   *
   * Page components are ordered by `mergeOrder`; one whose position alone changes counts as updated. The
   * revision of each changed organization and project moves by one step, that of others not at all; resources
   * of one that is created have its first revision. If the batches throw, or a record is rejected, nothing is
   * written and the error, which names the line, reaches the caller. The batches may be slow, but must not
   * wait for writes to this store: they are awaited inside the transaction, and other writers wait until it
   * ends.
   *
   * NOT_FOUND for an organization, project, page, account or role that a record needs and that neither exists nor
   * precedes it. ALREADY_EXISTS for an id that a record of the kind in another project or organization has, and for
   * a page slug that another page of the project has once everything is read. FAILED_PRECONDITION for a page whose
   * layout is invalid once everything is read.
   */
  importRecords(
    batches: AsyncIterable<readonly RecordItem[]> | Iterable<readonly RecordItem[]>,
    options?: ImportOptions,
  ): Promise<ImportSummary>;
}
