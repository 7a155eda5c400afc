import type { JsonObject } from "@bufbuild/protobuf";
import { WINDOW_PATHS } from "../../../../domain/content/window.ts";
import { type IndexRows, type PreparedItem, toIndexRows } from "../../../content/content-rows.ts";
import type { Leaf } from "../../../content/leaf-rows.ts";

/** A stored item: its number, the columns that its index entries repeat, and its document. */
export interface IndexedItem {
  readonly item: number;
  readonly visibility: number;
  readonly sort_time: number;
  readonly doc: string;
}

/** An item to write. */
export interface ItemWrite {
  readonly item: PreparedItem;
  /** The number of the stored item that it replaces. */
  readonly replaced?: number;
  /** The index entries that differ; absent if all are written. */
  readonly changes?: ItemChanges;
}

/** The index entries that an item and the stored one do not share. */
export interface ItemChanges {
  /** The paths with other leaves than before, also those that are gone. */
  readonly paths: readonly string[];
  /** All leaves of these paths. */
  readonly leaves: readonly Leaf[];
  readonly addedWords: readonly string[];
  readonly removedWords: readonly string[];
}

/** The number of values from which on writing the changed entries costs less than writing a small item whole. */
const MANY_VALUES = 100;

/**
 * Returns how to write an item over the stored one, if there is one. Index entries repeat its visibility, its sort time
 * and its window: if one of them changes, all are written, otherwise only the changed paths and words. A small item is
 * always written whole: few statements write many of them.
 */
export function toItemWrite(item: PreparedItem, old: IndexedItem | undefined): ItemWrite {
  if (old === undefined) return { item };
  const whole = { item, replaced: old.item };
  if (item.leaves.length < MANY_VALUES) return whole;
  if (old.visibility !== item.visibility || old.sort_time !== item.sortTime) return whole;
  const changes = diffIndexRows(toIndexRows(JSON.parse(old.doc) as JsonObject), item);
  const hasNewWindow = WINDOW_PATHS.some((path) => changes.paths.includes(path));
  return hasNewWindow ? whole : { ...whole, changes };
}

function diffIndexRows(before: IndexRows, after: IndexRows): ItemChanges {
  const [old, own] = [before, after].map(({ leaves }) => Map.groupBy(leaves, ({ path }) => path));
  const all = new Set([...(old?.keys() ?? []), ...(own?.keys() ?? [])]);
  const paths = [...all].filter((path) => !areEqual(old?.get(path), own?.get(path)));
  const [oldWords, ownWords] = [new Set(before.words), new Set(after.words)];
  return {
    paths,
    leaves: paths.flatMap((path) => own?.get(path) ?? []),
    addedWords: after.words.filter((word) => !oldWords.has(word)),
    removedWords: before.words.filter((word) => !ownWords.has(word)),
  };
}

function areEqual(before: readonly Leaf[] = [], after: readonly Leaf[] = []): boolean {
  return (
    before.length === after.length &&
    before.every(({ key, text }, at) => key === after[at]?.key && text === after[at]?.text)
  );
}
