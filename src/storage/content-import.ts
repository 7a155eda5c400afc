import type { ContentKind } from "../domain/content/order.ts";

/** Content prepared for `importRecords`: plain data that can be sent between threads. */
export interface ContentBatch {
  readonly items: readonly PreparedItem[];
  /** The distinct paths. */
  readonly paths: readonly string[];
  /**
   * Six values per scalar: the index of its item, the index of its path, node, position, key, and text or
   * null.
   */
  readonly leaves: readonly (number | string | null)[];
  /** Four numbers per object: the index of its item, the index of its path, node, and last node below it. */
  readonly nodes: readonly number[];
}

/** One item of a batch, ready to be written. */
export interface PreparedItem {
  readonly kind: ContentKind;
  readonly projectId: string;
  readonly id: string;
  /** The line in the file, from 1, which errors name. */
  readonly line: number;
  readonly visibility: number;
  /** Microseconds since 1970, or UNSET_TIME. */
  readonly sortTime: number;
  readonly createTime: number;
  readonly updateTime: number;
  /** The JSON that delivery returns. */
  readonly doc: string;
  /** The searchable words, separated by spaces. */
  readonly words: string;
}
