import { LRUCache } from "lru-cache";
import type { ContentKind } from "../../../domain/content/order.ts";
import type { Statement } from "../../db/query.ts";
import { LookupMemo, type OfRevision } from "../../lookup-memo.ts";
import type { Store } from "../../store.ts";
import type { Dialect } from "../dialect.ts";
import { PlanCache } from "./plan/list-plan.ts";

/** The most projects whose collections are cached. */
const MOST_COLLECTIONS = 10_000;

/** The most look-ups cached, one for each number of ids. */
const MOST_STATEMENTS = 200;

/** The row of an item looked up by its id. */
export interface ItemRow {
  readonly id: string;
  readonly doc: string;
  readonly visibility: number;
}

/** The content of one kind in a project. */
export interface Collection extends OfRevision {
  readonly organizationId: string;
  readonly collection: number;
  readonly most_values: number;
  readonly most_characters: number;
}

/** What the stores of one kind of content cache, whichever connection they read. */
export interface ContentCache {
  readonly collections: LookupMemo<Collection>;
  readonly plans: PlanCache;
  /** The look-ups of items, by the number of their ids. */
  readonly lookUps: LRUCache<number, Statement<ItemRow>>;
}

/** What the stores of content cache, by kind. */
export type ContentCaches = Readonly<Record<ContentKind, ContentCache>>;

/** Creates the caches of the stores of content. */
export function createContentCaches({
  dialect,
  changes,
}: {
  readonly dialect: Dialect;
  readonly changes: Pick<Store, "knownRevision">;
}): ContentCaches {
  const create = (): ContentCache => ({
    collections: new LookupMemo<Collection>(changes, MOST_COLLECTIONS),
    plans: new PlanCache(dialect),
    lookUps: new LRUCache({ max: MOST_STATEMENTS }),
  });
  return { creative_work: create(), entity: create(), event: create() };
}
