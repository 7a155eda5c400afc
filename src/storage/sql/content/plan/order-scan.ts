import { type Expression, type RawBuilder, type SqlBool, sql } from "kysely";
import type { ContentPlace } from "../../../delivery-store.ts";
import { UNSET_TIME } from "../../times.ts";
import type { Condition } from "../filter/conditions.ts";
import { findPath } from "../filter/kql-leaf.ts";
import { findTimeColumn, type TimeColumn } from "../indexed-fields.ts";
import { inPartition, inPostingLists, type Partition, type PostingLists } from "./index-ranges.ts";
import type { ListedRow, PartitionOptions, PartitionQuery, ProbedPath } from "./partition-query.ts";
import { isWithin, type TimeBounds } from "./time-bounds.ts";

/** The rows of one step of a scan. */
export interface ScanStep {
  readonly rows: readonly ListedRow[];
  /** The place where the step stopped; absent at the end of the order, or with as many rows as wanted. */
  readonly end?: ContentPlace;
}

/** Reads a partition in the list's order, along a posting list if one is chosen, testing each item. */
export class OrderScan {
  readonly #query: PartitionQuery;
  readonly #postingList: PostingLists | undefined;
  readonly #conditions: readonly Condition[];
  #runs: readonly OrderRun[];

  constructor(
    query: PartitionQuery,
    paths: readonly ProbedPath[],
    chosen: ProbedPath | undefined,
    after: ContentPlace | undefined,
  ) {
    this.#query = query;
    this.#postingList = chosen?.postingList;
    this.#conditions = query.conditionsWithout(chosen?.path, paths);
    this.#runs = toOrderRuns(query.options, this.#postingList, after);
  }

  /** Continues until `wanted` items are found or about `size` are tested. */
  async step(wanted: number, size: number): Promise<ScanStep> {
    const rows: ListedRow[] = [];
    for (const run of this.#runs) {
      const end = this.#conditions.length > 0 ? await this.#findEnd(run, size) : undefined;
      rows.push(...(await this.#select(run, end, wanted - rows.length)));
      if (rows.length === wanted) break;
      if (end !== undefined) {
        this.#runs = toOrderRuns(this.#query.options, this.#postingList, end);
        return { rows, end };
      }
    }
    return { rows };
  }

  /** Finds the place `size` items ahead; undefined where the run ends before. */
  async #findEnd(run: OrderRun, size: number): Promise<ContentPlace | undefined> {
    const { table, key, conditions, orderBy } = run;
    const [end] = await this.#query.run(sql<ContentPlace>`
      select ${key} as key, source.id from ${sql.raw(table)} as source
      where ${sql.join(conditions, sql` and `)}
      order by ${orderBy} limit 1 offset ${size}
    `);
    return end;
  }

  async #select(run: OrderRun, end: ContentPlace | undefined, limit: number) {
    const { table, key, orderBy } = run;
    const conditions = [
      ...run.conditions,
      ...(end === undefined ? [] : [run.upTo(end)]),
      ...this.#conditions,
    ];
    const select = sql`
      from ${sql.raw(table)} as source where ${sql.join(conditions, sql` and `)}
      order by ${orderBy} limit ${limit}
    `;
    // The join comes after the limit: the documents of rejected items are not read.
    const query =
      table === "content"
        ? sql<ListedRow>`select ${key} as key, source.id, source.doc ${select}`
        : sql<ListedRow>`
            select source.key, source.id, doc
            from (select ${key} as key, source.id as id, source.item as item ${select}) as source
            ${this.#query.options.dialect.forcedJoin} content on content.item = source.item
            order by ${run.orderOf}
          `;
    return await this.#query.run(query);
  }
}

/** A contiguous piece of an order that one index yields. A scan reads its runs one after the other. */
export interface OrderRun {
  /** The table, to be read as `source`: rows of `item`, `key` and `id` of one partition. */
  readonly table: "content" | "content_value";
  /** The sort key; null for items without a value. */
  readonly key: Expression<unknown>;
  readonly conditions: readonly Condition[];
  readonly orderBy: RawBuilder<unknown>;
  /** The same order in terms of the selected `key` and `id`. */
  readonly orderOf: RawBuilder<unknown>;
  /** Holds for rows no further than a place of this run. */
  upTo(end: ContentPlace): Condition;
}

type Direction = "asc" | "desc";

const ID = sql`source.id`;
const UNSET = sql.lit(UNSET_TIME);

const KEYS_ASCENDING = sql`source.key is null, source.key, source.id`;
const KEYS_DESCENDING = sql`source.key is null, source.key desc, source.id`;

/** Splits the list's order after a place into runs; of one posting list if it has that order. */
export function toOrderRuns(
  options: PartitionOptions,
  postingList: PostingLists | undefined,
  after: ContentPlace | undefined,
): readonly OrderRun[] {
  const { direction, field } = options.order;
  const table = postingList === undefined ? "content" : "content_value";
  const conditions =
    postingList === undefined ? inPartition(options) : inPostingLists(postingList, options);
  if (field === "id") {
    // Items without a time of their own are sorted by id in their posting lists.
    const timeless = sql<SqlBool>`source.sort_time = ${UNSET}`;
    const own = postingList === undefined ? conditions : [...conditions, timeless];
    return toIdRuns(table, own, direction, after);
  }
  const column = findTimeColumn(field);
  if (column === undefined) return toTextRuns(options, field, direction, after);
  return toTimeRuns({ table, column, conditions }, direction, options.plan.bounds, after);
}

/** Rows sorted by a time: a partition, or one posting list. */
interface TimeSource {
  readonly table: "content" | "content_value";
  readonly column: TimeColumn;
  readonly conditions: readonly Condition[];
}

/** Splits an order by a time; unset times come last, by id. */
function toTimeRuns(
  { table, column, conditions }: TimeSource,
  direction: Direction,
  bounds: TimeBounds | undefined,
  after: ContentPlace | undefined,
): readonly OrderRun[] {
  const key = sql.raw(`source.${column}`);
  const toRun = (isDescending: boolean, own: readonly Condition[]): OrderRun => ({
    table,
    key: sql`nullif(${key}, ${UNSET})`,
    conditions: [...conditions, ...own],
    orderBy: isDescending ? sql`${key} desc, ${ID}` : sql`${key}, ${ID}`,
    orderOf: isDescending ? KEYS_DESCENDING : KEYS_ASCENDING,
    upTo: (end) => isUpTo(key, { ...end, key: end.key ?? UNSET_TIME }, isDescending),
  });
  const within = isWithin(key, bounds);
  const at = after && { key: after.key ?? UNSET_TIME, id: after.id };
  const unset = (behind: readonly Condition[]) =>
    bounds === undefined ? [toRun(false, [sql<SqlBool>`${key} = ${UNSET}`, ...behind])] : [];
  if (direction === "asc") {
    const behind = at === undefined ? [] : [sql<SqlBool>`(${key}, ${ID}) > (${at.key}, ${at.id})`];
    return [toRun(false, [...within, ...behind])];
  }
  const set = sql<SqlBool>`${key} < ${UNSET}`;
  if (at === undefined) return [toRun(true, [set, ...within]), ...unset([])];
  const tie = [sql<SqlBool>`${key} = ${at.key}`, sql<SqlBool>`${ID} > ${at.id}`];
  if (after?.key === null) return unset([sql<SqlBool>`${ID} > ${at.id}`]);
  return [
    toRun(false, tie),
    toRun(true, [sql<SqlBool>`${key} < ${at.key}`, ...within]),
    ...unset([]),
  ];
}

function toIdRuns(
  table: "content" | "content_value",
  conditions: readonly Condition[],
  direction: Direction,
  after: ContentPlace | undefined,
): readonly OrderRun[] {
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

/** Splits an order by the texts of a path; items without one come last, by id. */
function toTextRuns(
  partition: Partition,
  path: string,
  direction: Direction,
  after: ContentPlace | undefined,
): readonly OrderRun[] {
  const number = findPath(path, sql.lit(partition.collection));
  const key = sql`source.value`;
  const titled = (isDescending: boolean, own: readonly Condition[]): OrderRun => ({
    table: "content_value",
    key,
    conditions: [
      sql<SqlBool>`source.path = ${number}`,
      sql<SqlBool>`source.visibility = ${partition.visibility}`,
      ...own,
    ],
    orderBy: isDescending ? sql`${key} desc, ${ID}` : sql`${key}, ${ID}`,
    orderOf: isDescending ? KEYS_DESCENDING : KEYS_ASCENDING,
    upTo: (end) => isUpTo(key, end, isDescending),
  });
  const lacks = sql<SqlBool>`not exists (select 1 from content_leaf as leaf where leaf.item = source.item and leaf.path = ${number})`;
  const untitled = (behind: ContentPlace | undefined) =>
    toIdRuns("content", [...inPartition(partition), lacks], "asc", behind);
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
