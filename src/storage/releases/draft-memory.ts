import { LRUCache } from "lru-cache";
import type { ContentKind } from "../../domain/content/order.ts";
import { isContentKind } from "../../domain/kinds.ts";
import type { RecordItem } from "../../domain/records/record.ts";
import type { ContentMessage } from "../content/content-rows.ts";
import { ContentDraft } from "./content-draft.ts";

/** A resource as one draft leaves it. */
export interface DraftLayer {
  readonly releaseId: string;
  /** Undefined: the draft deletes the resource. */
  readonly state: RecordItem | undefined;
  /** Where the draft puts a component or the components of a page; undefined: nowhere. */
  readonly places: Pick<RecordItem, "componentIds" | "predecessorId">;
  /** The size of the state as stored. */
  readonly bytes: number;
}

/** A resource as its drafts leave it. */
export interface MergedDraft {
  readonly id: string;
  /** The resource after each draft, in the order of applying. */
  readonly layers: readonly DraftLayer[];
  /** Undefined: it is deleted. */
  readonly state: RecordItem | undefined;
  /** The state as content; undefined: it is deleted, or of another kind. */
  readonly content: ContentDraft | undefined;
}

/** The number of bytes that merged drafts may take in the memory of a process. */
const MERGED_BYTES = 64 * 1024 * 1024;

/**
 * The bytes of the heap for each stored byte of a draft in all its forms: message, JSON, values for filters, and words.
 * An event of 4,800 numbers takes 18, an event of long texts 3.
 */
const DECODED = 18;

/** The bytes of the heap that every entry takes, however small its draft is. */
const ENTRY = 6 * 1024;

/**
 * The drafts that previews have merged, in one bounded memory for all previews of a process. A key names every state
 * that went into a merge, so that an entry never becomes stale and all previews with these states share it.
 */
export class DraftMemory {
  readonly #kept: LRUCache<string, MergedDraft>;
  readonly #merging = new Map<string, Promise<ReadonlyMap<string, MergedDraft>>>();

  constructor(maxBytes = MERGED_BYTES) {
    this.#kept = new LRUCache({ maxSize: maxBytes });
  }

  /** The bytes that the entries take, as counted. */
  get bytes(): number {
    return this.#kept.calculatedSize;
  }

  keep(key: string, merged: MergedDraft): void {
    const stored = merged.layers.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#kept.set(key, merged, { size: ENTRY + DECODED * stored });
  }

  /**
   * Returns merged drafts by key; `merge` merges those that are not kept. Two calls at once merge a draft once: if that
   * fails, or its caller leaves, the other call merges it.
   */
  async find(
    keys: readonly string[],
    merge: (keys: readonly string[]) => Promise<ReadonlyMap<string, MergedDraft>>,
  ): Promise<ReadonlyMap<string, MergedDraft>> {
    const found = new Map<string, MergedDraft>();
    for (let rest = keys; rest.length > 0; rest = rest.filter((key) => !found.has(key))) {
      const unmerged: string[] = [];
      const awaited = new Map<string, Promise<ReadonlyMap<string, MergedDraft>>>();
      for (const key of rest) {
        const kept = this.#kept.get(key);
        const merging = this.#merging.get(key);
        if (kept !== undefined) found.set(key, kept);
        else if (merging !== undefined) awaited.set(key, merging);
        else unmerged.push(key);
      }
      for (const [key, merged] of await this.#merge(unmerged, merge)) found.set(key, merged);
      for (const [key, merging] of awaited) {
        const merged = (await merging.catch(() => undefined))?.get(key);
        if (merged !== undefined) found.set(key, merged);
      }
    }
    return found;
  }

  async #merge(
    keys: readonly string[],
    merge: (keys: readonly string[]) => Promise<ReadonlyMap<string, MergedDraft>>,
  ): Promise<ReadonlyMap<string, MergedDraft>> {
    if (keys.length === 0) return new Map();
    const merging = merge(keys);
    for (const key of keys) this.#merging.set(key, merging);
    try {
      return await merging;
    } finally {
      for (const key of keys) this.#merging.delete(key);
    }
  }
}

/** Creates a merged draft from its layers and the state that they leave. */
export function toMerged(
  id: string,
  state: RecordItem | undefined,
  layers: readonly DraftLayer[],
): MergedDraft {
  const content =
    state !== undefined && isContentKind(state.kind)
      ? new ContentDraft(state.kind as ContentKind, state.message as ContentMessage)
      : undefined;
  return { id, layers, state, content };
}
