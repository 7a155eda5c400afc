import type { ContentKind } from "../../domain/content/order.ts";
import type { LeafKey } from "./leaf-key.ts";
import type { Leaf } from "./leaf-rows.ts";

/** The index entries of an item. */
export interface IndexRows {
  /** The distinct words that a search finds it by. */
  readonly words: readonly string[];
  /** Its scalars, in their order. */
  readonly leaves: readonly Leaf[];
}

/** The row of an item. */
export interface ContentRow {
  readonly kind: ContentKind;
  readonly projectId: string;
  readonly id: string;
  /** The line in the file, from 1, named in errors. */
  readonly line: number;
  readonly visibility: number;
  /** Microseconds since 1970, or UNSET_TIME. */
  readonly sortTime: number;
  readonly createTime: number;
  readonly updateTime: number;
  /** The start and the end of its window as keys of leaves; without them texts before and after all of these. */
  readonly openFrom: LeafKey;
  readonly openUntil: LeafKey;
  /** The JSON that the Delivery API returns. */
  readonly doc: string;
}

/** An item, ready to be written. */
export type PreparedItem = ContentRow & IndexRows;
