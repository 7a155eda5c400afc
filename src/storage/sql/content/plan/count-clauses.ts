import type { SortKey } from "../../../content/places.ts";
import { join, raw, type SqlText, sql } from "../../../db/sql-text.ts";
import { type Clause, isPostingOrder, type PartitionList } from "./clauses.ts";
import { type IndexRange, selectRange } from "./index-ranges.ts";
import { type PostingList, selectKeyAhead } from "./order-scan.ts";

/** The number of items that posting lists are compared over. */
const AHEAD = 64;

/** Maximum number of posting lists that are merged. */
const MOST_MERGED = 64;

/**
 * Reports whether the clauses are counted before the first step: with a search, because few items have the words, or
 * with several posting lists to choose from.
 */
export function needsCounts(list: PartitionList): boolean {
  const { clauses } = list;
  if (listMerged(list).length > 0) return false;
  if (clauses.some(({ ranges }) => ranges?.some(({ kind }) => kind === "word"))) return true;
  const listed = clauses.filter(({ ranges }) => ranges?.every(toPostingList));
  return isPostingOrder(list) && listed.flatMap(({ ranges }) => ranges).length > 1;
}

/**
 * Lists the posting lists that together contain exactly the listed items; none unless the list has a single exact
 * clause.
 */
function listMerged(list: PartitionList): readonly PostingList[] {
  const [only, ...others] = list.clauses;
  if (!isPostingOrder(list)) return [];
  if (only === undefined || others.length > 0 || !only.isExact) return [];
  const lists = (only.ranges ?? []).map((range) =>
    range.kind === "values" ? range.values.map((value) => ({ path: range.path, value })) : [],
  );
  if (lists.some(({ length }) => length === 0)) return [];
  const merged = lists.flat();
  return merged.length <= MOST_MERGED ? merged : [];
}

/** Counts the items in the ranges of each clause, up to `cap` each, and looks ahead in posting lists. */
export async function countClauses(list: PartitionList, cap: number): Promise<readonly Clause[]> {
  const ranges = list.clauses.flatMap((clause) => clause.ranges ?? []);
  if (ranges.length === 0) return list.clauses;
  const statement = list.budget.count(() => selectCounts(list, ranges, cap));
  const [row = {}] = await list.db.all(statement, list.budget);
  const countOf = (range: IndexRange) => Number(row[`count${ranges.indexOf(range)}`]);
  return list.clauses.map((clause) => {
    if (clause.ranges === undefined) return clause;
    const held = clause.ranges.filter((range) => countOf(range) > 0);
    const count = held.reduce((sum, range) => sum + countOf(range), 0);
    const keyAhead = held[0] && row[`key${ranges.indexOf(held[0])}`];
    return { ...clause, ranges: held, count, keyAhead: keyAhead ?? null };
  });
}

/** Selects the number of items in each range, up to `cap`, and the keys ahead in posting lists. */
function selectCounts(
  list: PartitionList,
  ranges: readonly IndexRange[],
  cap: number,
): SqlText<Record<string, SortKey>> {
  const isCompared = isPostingOrder(list) && ranges.filter(toPostingList).length > 1;
  const columns = ranges.flatMap((range, index) => {
    const posting = isCompared ? toPostingList(range) : undefined;
    const key = posting && selectKeyAhead(list, posting, AHEAD);
    return [
      sql`(select count(*) from (${selectRange(range, list)} limit ${cap})) as ${raw(`count${index}`)}`,
      ...(key ? [sql`${key} as ${raw(`key${index}`)}`] : []),
    ];
  });
  return sql`select ${join(columns)}`;
}

/** Returns the clause with the fewest items; undefined if none has fewer than `below`. */
export function findMostSelective(clauses: readonly Clause[], below: number): Clause | undefined {
  const [fewest] = clauses.toSorted((a, b) => a.count - b.count);
  return fewest !== undefined && fewest.count < below ? fewest : undefined;
}

/** The source of an order scan. */
export interface Scan {
  /** The posting lists to read, which are merged if they are several; empty: the partition. */
  readonly postings: readonly PostingList[];
  /** The clause with the items in them. */
  readonly clause?: Clause;
}

/**
 * Returns the source of an order scan: the posting lists of the only clause, otherwise the sparsest posting list,
 * because its items reach furthest in the order.
 */
export function findScan(list: PartitionList): Scan {
  const { clauses, order } = list;
  const isByPosting = isPostingOrder(list);
  const merged = listMerged(list);
  if (merged.length > 0) return { postings: merged, clause: clauses[0] as Clause };
  const [sparsest] = clauses
    .filter(({ ranges }) => isByPosting && ranges?.length === 1 && ranges.every(toPostingList))
    .toSorted(({ keyAhead: a }, { keyAhead: b }) => compareReach(b, a, order.direction));
  const posting = sparsest?.ranges?.[0] && toPostingList(sparsest.ranges[0]);
  return sparsest && posting ? { postings: [posting], clause: sparsest } : { postings: [] };
}

/** Compares how far two keys reach in the order; null is beyond the end. */
function compareReach(a: SortKey, b: SortKey, direction: "asc" | "desc"): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  return a > b === (direction === "asc") ? 1 : -1;
}

/** Returns the posting list of a range; undefined for another range. */
function toPostingList(range: IndexRange): PostingList | undefined {
  if (range.kind !== "values") return undefined;
  const [value, ...others] = range.values;
  return value === undefined || others.length > 0 ? undefined : { path: range.path, value };
}
