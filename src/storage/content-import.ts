import type { ContentKind } from "../domain/content/order.ts";

/** Content prepared for `importRecords`: plain data that can be sent between threads. */
export interface ContentBatch {
  readonly items: readonly PreparedItem[];
  /** The distinct paths. */
  readonly paths: readonly string[];
  /** The distinct shapes. */
  readonly shapes: readonly ContentShape[];
}

/**
 * What the index entries of items with the same paths and types of values share: two numbers per scalar, the index of
 * its path, and 1 if it has a text besides its key.
 */
export type ContentShape = readonly number[];

/** Separates the values of an item; no stored text holds it. */
export const VALUE_SEPARATOR = "\0";

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
  /** The distinct words that a search finds it by, separated by spaces. */
  readonly words: string;
  /** The index of its shape. */
  readonly shape: number;
  /** The key of each scalar of the shape, followed by its text if it has one, separated by {@link VALUE_SEPARATOR}. */
  readonly values: string;
}
