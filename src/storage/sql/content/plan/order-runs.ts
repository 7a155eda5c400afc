import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";
import type { ContentPlace } from "../../../delivery-store.ts";
import { UNSET_TIME } from "../../times.ts";
import type { Condition } from "../filter/conditions.ts";
import { findPath } from "../filter/kql-leaf.ts";
import type { KeyBounds } from "./key-bounds.ts";

/**
 * A piece of an order that one index holds: rows of `item`, `key` and `id` of one collection and one
 * visibility. A list reads its segments one after the other.
 */
export interface Segment {
  /** The table, to be read as `source`. */
  readonly table: "content" | "content_value";
  /** What is ordered by; null for what has no value. */
  readonly key: Expression<unknown>;
  readonly conditions: readonly Condition[];
  readonly orderBy: RawBuilder<unknown>;
  /** The same order in terms of what was selected as `key` and `id`. */
  readonly orderOf: RawBuilder<unknown>;
  /** Tells a row that lies no further than a place of this segment. */
  upTo(end: ContentPlace): Condition;
}

/** The collection and the visibility that a list reads. */
export interface Shelf {
  readonly collection: number;
  readonly visibility: number;
}

type Direction = "asc" | "desc";

const ID = sql`source.id`;
const UNSET = sql.lit(UNSET_TIME);

const KEYS_ASCENDING = sql`source.key is null, source.key, source.id`;
const KEYS_DESCENDING = sql`source.key is null, source.key desc, source.id`;

/** The time columns of content, and of the table of values its own order. */
export type TimeColumn = "sort_time" | "create_time" | "update_time";

/** Where rows come from that lie in the order of a time: the whole shelf, or those with one value. */
export interface TimeSource {
  readonly table: "content" | "content_value";
  readonly column: TimeColumn;
  readonly conditions: readonly Condition[];
}

/** Names the shelf of a table. */
export function onShelf({ collection, visibility }: Shelf): readonly Condition[] {
  return [
    sql<SqlBool>`source.collection = ${collection}`,
    sql<SqlBool>`source.visibility = ${visibility}`,
  ];
}

/** Splits an order by a time; what has none comes last, by id. */
export function splitTimes(
  { table, column, conditions }: TimeSource,
  direction: Direction,
  bounds: KeyBounds | undefined,
  after: ContentPlace | undefined,
): readonly Segment[] {
  const key = sql.raw(`source.${column}`);
  const segment = (isDescending: boolean, own: readonly Condition[]): Segment => ({
    table,
    key: sql`nullif(${key}, ${UNSET})`,
    conditions: [...conditions, ...own],
    orderBy: isDescending ? sql`${key} desc, ${ID}` : sql`${key}, ${ID}`,
    orderOf: isDescending ? KEYS_DESCENDING : KEYS_ASCENDING,
    upTo: (end) => isUpTo(key, { ...end, key: end.key ?? UNSET_TIME }, isDescending),
  });
  const within = toConditions(key, bounds);
  const at = after && { key: after.key ?? UNSET_TIME, id: after.id };
  const unset = (behind: readonly Condition[]) =>
    bounds === undefined ? [segment(false, [sql<SqlBool>`${key} = ${UNSET}`, ...behind])] : [];
  if (direction === "asc") {
    const behind = at === undefined ? [] : [sql<SqlBool>`(${key}, ${ID}) > (${at.key}, ${at.id})`];
    return [segment(false, [...within, ...behind])];
  }
  const set = sql<SqlBool>`${key} < ${UNSET}`;
  if (at === undefined) return [segment(true, [set, ...within]), ...unset([])];
  const tie = [sql<SqlBool>`${key} = ${at.key}`, sql<SqlBool>`${ID} > ${at.id}`];
  if (after?.key === null) return unset([sql<SqlBool>`${ID} > ${at.id}`]);
  return [
    segment(false, tie),
    segment(true, [sql<SqlBool>`${key} < ${at.key}`, ...within]),
    ...unset([]),
  ];
}

/** Splits an order by id. */
export function splitIds(
  table: "content" | "content_value",
  conditions: readonly Condition[],
  direction: Direction,
  after: ContentPlace | undefined,
): readonly Segment[] {
  const isDescending = direction === "desc";
  const compare = (operator: string, id: string) => sql<SqlBool>`${ID} ${sql.raw(operator)} ${id}`;
  const behind = after === undefined ? [] : [compare(isDescending ? "<" : ">", after.id)];
  return [
    {
      table,
      key: sql`null`,
      conditions: [...conditions, ...behind],
      orderBy: isDescending ? sql`${ID} desc` : sql`${ID}`,
      orderOf: isDescending ? sql`source.id desc` : sql`source.id`,
      upTo: (end) => compare(isDescending ? ">=" : "<=", end.id),
    },
  ];
}

/** Splits an order by the texts of a path; what has none there comes last, by id. */
export function splitTexts(
  shelf: Shelf,
  path: string,
  direction: Direction,
  after: ContentPlace | undefined,
): readonly Segment[] {
  const number = findPath(path, sql.lit(shelf.collection));
  const key = sql`source.value`;
  const titled = (isDescending: boolean, own: readonly Condition[]): Segment => ({
    table: "content_value",
    key,
    conditions: [
      sql<SqlBool>`source.path = ${number}`,
      sql<SqlBool>`source.visibility = ${shelf.visibility}`,
      ...own,
    ],
    orderBy: isDescending ? sql`${key} desc, ${ID}` : sql`${key}, ${ID}`,
    orderOf: isDescending ? KEYS_DESCENDING : KEYS_ASCENDING,
    upTo: (end) => isUpTo(key, end, isDescending),
  });
  const lacks = sql<SqlBool>`not exists (select 1 from content_leaf as leaf where leaf.item = source.item and leaf.path = ${number})`;
  const untitled = (behind: ContentPlace | undefined) =>
    splitIds("content", [...onShelf(shelf), lacks], "asc", behind);
  if (after?.key === null) return untitled(after);
  if (after === undefined) return [titled(direction === "desc", []), ...untitled(undefined)];
  const tie = titled(false, [
    sql<SqlBool>`${key} = ${after.key}`,
    sql<SqlBool>`${ID} > ${after.id}`,
  ]);
  const operator = sql.raw(direction === "desc" ? "<" : ">");
  const rest = titled(direction === "desc", [sql<SqlBool>`${key} ${operator} ${after.key}`]);
  return [tie, rest, ...untitled(undefined)];
}

function isUpTo(key: Expression<unknown>, end: ContentPlace, isDescending: boolean): Condition {
  const [beyond, within] = isDescending ? [sql`>`, sql`>=`] : [sql`<`, sql`<=`];
  return sql<SqlBool>`(${key} ${within} ${end.key} and (${key} ${beyond} ${end.key} or ${ID} <= ${end.id}))`;
}

/** Tells a row whose time lies within bounds; one without a time does not. */
export function toConditions(
  key: Expression<unknown>,
  bounds: KeyBounds | undefined,
): readonly Condition[] {
  if (bounds === undefined) return [];
  const { from, to } = bounds;
  return [
    ...(from === undefined ? [] : [sql<SqlBool>`${key} >= ${from}`]),
    to === undefined ? sql<SqlBool>`${key} < ${UNSET}` : sql<SqlBool>`${key} <= ${to}`,
  ];
}
