import { type RawBuilder, sql } from "kysely";
import { Statement } from "../../../db/query.ts";
import type { ContentPlace } from "../../../delivery-store.ts";
import type { AccessPath } from "./access-paths.ts";
import type { ProbedPath } from "./clause-tests.ts";
import { type IndexRange, type PostingLists, selectRange } from "./index-ranges.ts";
import type { ListPlan } from "./list-plan.ts";
import {
  findMainRun,
  fromRun,
  LIMIT,
  type PageForm,
  toOrderRuns,
  toPageForm,
} from "./order-runs.ts";
import type { PartitionQuery } from "./partition-query.ts";

/** An access path and the number of items that it finds, as far as they were counted. */
export interface CountedPath extends ProbedPath {
  readonly count: number;
  /** The sort key of an item some way ahead in the posting list; null where the list ends before. */
  readonly keyAhead: SortKey;
}

type SortKey = number | string | null;

/** The number of items that posting lists are compared over. */
const AHEAD = 64;

/** The most posting lists that are merged. */
const MOST_MERGED = 64;

/**
 * Returns the access paths uncounted where the first step needs no counts; undefined with a search, of which few items
 * have the words, or with several posting lists to choose from.
 */
export function listUncounted(plan: ListPlan): readonly CountedPath[] | undefined {
  const { accessPaths } = plan.filter;
  const merged = findMerged(plan);
  if (merged !== undefined) return [merged];
  if (plan.form.words.length > 0) return undefined;
  const listed = plan.isPostingOrder
    ? accessPaths.filter(({ ranges }) => ranges.length > 0 && ranges.every(isPostingList))
    : [];
  const [only] = listed;
  if (listed.length > 1 || (only !== undefined && only.ranges.length > 1)) return undefined;
  return accessPaths.map((path) =>
    toUncounted(path, path === only ? path.ranges.filter(isPostingList) : undefined),
  );
}

/** Returns the only clause of a list, if it is what several posting lists hold, each in the list's order. */
function findMerged({ filter, isPostingOrder }: ListPlan): CountedPath | undefined {
  const { accessPaths, residual } = filter;
  const [path] = accessPaths;
  if (!isPostingOrder || path === undefined || accessPaths.length > 1) return undefined;
  if (!path.isExact || residual.length > 0) return undefined;
  const lists = path.ranges.filter((range) => range.kind === "values");
  const count = lists.reduce((sum, { values }) => sum + values.length, 0);
  const isMerged = lists.length === path.ranges.length && count > 1 && count <= MOST_MERGED;
  return isMerged ? toUncounted(path, lists) : undefined;
}

function toUncounted(
  path: AccessPath,
  postingLists: readonly PostingLists[] | undefined,
): CountedPath {
  return {
    path,
    ranges: path.ranges,
    count: path.ranges.length === 0 ? 0 : Number.POSITIVE_INFINITY,
    keyAhead: null,
    ...(postingLists !== undefined && { postingLists }),
  };
}

/** Counts what each access path finds, up to `cap` a range, and looks ahead in posting lists. */
export async function countPaths(
  query: PartitionQuery,
  after: ContentPlace | undefined,
  cap: number,
): Promise<readonly CountedPath[]> {
  const { plan } = query;
  const { accessPaths } = plan.filter;
  if (accessPaths.every(({ ranges }) => ranges.length === 0)) {
    return accessPaths.map((path) => toCounted(path, []));
  }
  const page = toPageForm(after);
  const statement = plan.once(`count ${page}`, () => new Statement(() => selectCounts(plan, page)));
  const [row] = await query.run(statement, after, { limit: cap });
  const found = JSON.parse(row?.found ?? "[]") as SortKey[];
  let next = 0;
  return accessPaths.map((path) =>
    toCounted(
      path,
      path.ranges.map((range) => ({
        range,
        count: Number(found[next++] ?? 0),
        keyAhead: found[next++] ?? null,
      })),
    ),
  );

  function toCounted(path: AccessPath, all: readonly CountedRange[]): CountedPath {
    const found = all.filter(({ count }) => count > 0);
    const [only] = found.length === 1 && plan.isPostingOrder ? found : [];
    const isListed = only !== undefined && isPostingList(only.range);
    return {
      path,
      ranges: found.map(({ range }) => range),
      count: found.reduce((sum, { count }) => sum + count, 0),
      keyAhead: isListed ? only.keyAhead : null,
      ...(isListed && { postingLists: [only.range] }),
    };
  }
}

interface CountedRange {
  readonly range: IndexRange;
  readonly count: number;
  readonly keyAhead: SortKey;
}

/** Returns the access path with the fewest items; undefined if none has fewer than `below`. */
export function findMostSelective(
  counted: readonly CountedPath[],
  below: number,
): CountedPath | undefined {
  const [fewest] = counted.toSorted((a, b) => a.count - b.count);
  return fewest !== undefined && fewest.count < below ? fewest : undefined;
}

/** Returns the words, besides a selective one, that are found in fewer than `below` items: all are read together. */
export function findOtherWords(
  counted: readonly CountedPath[],
  selective: CountedPath,
  below: number,
): readonly CountedPath[] {
  const isWord = ({ path }: CountedPath) => path.clause === undefined;
  if (!isWord(selective)) return [];
  return counted.filter((it) => it !== selective && isWord(it) && it.count < below);
}

/** Returns the path to scan: the one whose posting list is the sparsest, because its items reach furthest in the order. */
export function findSparsest(
  counted: readonly CountedPath[],
  direction: "asc" | "desc",
): CountedPath | undefined {
  const [sparsest] = counted
    .filter(({ postingLists }) => postingLists !== undefined)
    .toSorted(({ keyAhead: a }, { keyAhead: b }) => compareReach(b, a, direction));
  return sparsest;
}

/** Compares how far in the order two keys are; null is beyond the end. */
function compareReach(a: SortKey, b: SortKey, direction: "asc" | "desc"): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  return a > b === (direction === "asc") ? 1 : -1;
}

function isPostingList(range: IndexRange): range is PostingLists {
  return range.kind === "values" && range.values.length === 1;
}

/** Selects, for each range, the number of its items up to the limit, and the sort key of an item ahead. */
function selectCounts(plan: ListPlan, page: PageForm): RawBuilder<{ found: string }> {
  const { dialect, filter, isPostingOrder } = plan;
  const ranges = filter.accessPaths.flatMap((path) => path.ranges);
  const isCompared = isPostingOrder && ranges.filter(isPostingList).length > 1;
  const numbers = ranges.flatMap((range) => [
    sql`(select count(*) from (${selectRange(range)} limit ${LIMIT}))`,
    isCompared && isPostingList(range) ? lookAhead(plan, range, page) : sql`cast(null as text)`,
  ]);
  return sql`select ${dialect.toJsonArray(numbers)} as found`;
}

function lookAhead(plan: ListPlan, postingList: PostingLists, page: PageForm): RawBuilder<unknown> {
  const run = findMainRun(toOrderRuns(plan, postingList, page));
  const key = plan.dialect.firstInJson(run.key, sql`source.id`);
  return sql`(select ${key} ${fromRun(run)} limit 1 offset ${sql.lit(AHEAD)})`;
}
