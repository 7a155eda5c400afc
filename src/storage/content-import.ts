import type { ContentKind } from "../domain/order.ts";

/**
 * Content made ready for {@link ContentImport} by `prepareContent`: plain data, which one thread may
 * hand to another.
 */
export interface ContentBatch {
  readonly items: readonly PreparedItem[];
  /** The paths that occur, each once. */
  readonly paths: readonly string[];
  /** Six values a scalar: the index of its item, of its path, node, position, key, text or null. */
  readonly leaves: readonly (number | string | null)[];
  /** Four numbers an object: the index of its item, of its path, node, last node below it. */
  readonly nodes: readonly number[];
}

/** What is known of one item of a batch. */
export interface PreparedItem {
  readonly kind: ContentKind;
  readonly projectId: string;
  readonly id: string;
  /** The line of the file that it stands on, from 1; errors name it. */
  readonly line: number;
  readonly visibility: number;
  /** Microseconds since 1970, or UNSET_TIME. */
  readonly sortTime: number;
  readonly createTime: number;
  readonly updateTime: number;
  /** Its JSON as delivery writes it. */
  readonly doc: string;
  /** The words that a search reads, with blanks between them. */
  readonly words: string;
}

/** What an import does with an item. */
export type ImportOutcome = "created" | "updated" | "unchanged";

/** How many items met each outcome. */
export type ImportSummary = Readonly<Record<ImportOutcome, number>>;

/** How to import. */
export interface ImportOptions {
  /** A project that must exist, also when there is nothing to import. */
  readonly projectId?: string;
  /** Decides about every item and writes none; what is stored is read from one snapshot. */
  readonly isDryRun?: boolean;
  /** Hears of every item in the order of the batches. */
  readonly onItem?: (item: PreparedItem, outcome: ImportOutcome) => void;
}

/** Writes much content at once. */
export interface ContentImport {
  /**
   * Puts content in its place by kind and id, in one transaction: what is new is created; what differs
   * from the stored document is replaced, with all that the old one was found by; what is equal byte
   * for byte is left alone. Of an id that comes twice the later item stays.
   *
   * The revision of each project that is changed moves by one step, that of others not at all. When
   * the batches throw, or an item is refused, nothing is written and the failure reaches the caller.
   * The batches may take their time, but must not wait for this store's writes: they are awaited
   * inside the transaction, and other writers wait until it ends.
   *
   * NOT_FOUND for a project that does not exist; ALREADY_EXISTS for an id that is another project's,
   * ids being unique among all items of a kind.
   */
  importContent(
    batches: AsyncIterable<ContentBatch>,
    options?: ImportOptions,
  ): Promise<ImportSummary>;
}
