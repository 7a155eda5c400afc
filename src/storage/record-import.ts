import type { DocumentRecordKind, RecordKind, RecordOwner } from "../domain/transfer/record.ts";
import type { ContentBatch } from "./content-import.ts";

/**
 * Records made ready for {@link RecordImport} by `prepareRecords`: plain data, which one thread may hand
 * to another.
 */
export type RecordBatch =
  | { readonly content: ContentBatch }
  | { readonly documents: readonly PreparedDocument[] };

/** A record of any kind but content. */
export interface PreparedDocument {
  readonly kind: DocumentRecordKind;
  readonly id: string;
  /** Absent: it is an organization. */
  readonly owner?: RecordOwner;
  /** The line of the file that it stands on, from 1; errors name it. 0 without a file. */
  readonly line: number;
  /** Its message in binary form. */
  readonly doc: Uint8Array;
  /** The page of a page component. */
  readonly pageId?: string;
  /** How the billing provider knows a transaction. */
  readonly billingTransactionId?: string;
}

/** What an import does with a record. */
export type ImportOutcome = "created" | "updated" | "unchanged";

/** How many records met each outcome. */
export type ImportCounts = Readonly<Record<ImportOutcome, number>>;

/** How many records met each outcome, in all and by kind. */
export interface ImportSummary extends ImportCounts {
  readonly byKind: ReadonlyMap<RecordKind, ImportCounts>;
}

/** A record that an import decided about. */
export interface ImportedRecord {
  readonly kind: RecordKind;
  readonly id: string;
}

/** How to import. */
export interface ImportOptions {
  /** A project that must exist in the end, also when there is nothing to import. */
  readonly projectId?: string;
  /** The records are a copy: one of the project `projectId`, if it is there, is left out. */
  readonly isCopy?: boolean;
  /** Decides about every record and writes none; what is stored is read from one snapshot. */
  readonly isDryRun?: boolean;
  /** True: what records refer to is not looked for, as in a dataset that is loaded. */
  readonly ignoresReferences?: boolean;
  /** Makes what a new action signs with. Absent: an import that creates an action fails. */
  readonly createSecret?: () => string;
  /**
   * Hears of every record in the order of the batches; of page components, whose place is known when
   * all are, in the end.
   */
  readonly onRecord?: (record: ImportedRecord, outcome: ImportOutcome) => void;
}

/** Writes many records at once. */
export interface RecordImport {
  /**
   * Puts records in their place by kind and id, in one transaction: what is new is created; what differs
   * from what is stored is replaced, with all that follows from it and that it is found by; what is the
   * same, be it with map keys in another order, is left alone. Of an id that comes twice the later
   * record stays.
   *
   * The components of a page get the order of `mergeOrder`; one is updated also if only its place
   * changes. The revision of each organization and project that is changed moves by one step, that of
   * others not at all; what belongs to one that is created has its first. When the batches throw, or a
   * record is refused, nothing is written and the failure reaches the caller; it names the line. The
   * batches may take their time, but must not wait for this store's writes: they are awaited inside the
   * transaction, and other writers wait until it ends.
   *
   * INVALID_ARGUMENT `REFERENCE_NOT_FOUND` for an annotation type, or a banner collection by its literal
   * id, that a record is written with and that its project does not have when all is read.
   * NOT_FOUND for an organization, project, page, account or role that a record needs and that neither
   * exists nor came before it. ALREADY_EXISTS for an id that another project's record of the kind has,
   * or another organization's, and for a page's slug that another page of its project has when all is
   * read. FAILED_PRECONDITION for a page whose layout is broken when all is read.
   */
  importRecords(
    batches: AsyncIterable<RecordBatch> | Iterable<RecordBatch>,
    options?: ImportOptions,
  ): Promise<ImportSummary>;
}
