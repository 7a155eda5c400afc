import type { ContentKind } from "../domain/content/order.ts";

/**
 * Content made ready for `importRecords`: plain data, which one thread may hand to another.
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
