import { type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import {
  type ContentKind,
  type ContentOrder,
  DEFAULT_ORDERS,
} from "../../../../domain/content/order.ts";
import type { KqlNode } from "../../../../domain/kql/index.ts";
import type { WorkBudget } from "../../../../domain/work-budget.ts";
import type { ContentPlace } from "../../../delivery-store.ts";
import { runCounted } from "../../counted.ts";
import type { Dialect } from "../../dialect.ts";
import type { Schema } from "../../schema.ts";
import { anyOf, type Condition } from "../filter/conditions.ts";
import { compileKql } from "../filter/kql-filter.ts";
import { type AccessPath, type FilterPlan, findRanges } from "./access-paths.ts";
import { hasPosting, type IndexRange, type Partition, type PostingLists } from "./index-ranges.ts";

/** The part of a list that concerns one partition. */
export interface PartitionOptions extends Partition {
  readonly kind: ContentKind;
  readonly plan: FilterPlan;
  readonly order: ContentOrder;
  /** Unix milliseconds. */
  readonly now: number;
  readonly budget: WorkBudget;
  readonly dialect: Dialect;
}

/** A listed item with its place in the list's order. */
export interface ListedRow extends ContentPlace {
  readonly doc: string;
}

/** An access path with those of its ranges that are not known to be empty. */
export interface ProbedPath {
  readonly path: AccessPath;
  readonly ranges: readonly IndexRange[];
  /** The one posting list that holds all its items in the list's order, if there is one. */
  readonly postingList?: PostingLists;
}

/** The most posting lists in which one clause looks an item up; for more values its leaves are read. */
const MOST_PROBES = 3;

/** Writes and runs the statements that list one partition. */
export class PartitionQuery {
  readonly #db: Kysely<Schema>;
  readonly options: PartitionOptions;

  constructor(db: Kysely<Schema>, options: PartitionOptions) {
    this.#db = db;
    this.options = options;
  }

  /** Runs a query and charges its time to the budget. */
  run<T>(query: RawBuilder<T>): Promise<readonly T[]> {
    return runCounted(this.#db, this.options.budget, query.compile(this.#db));
  }

  /** True for the default order, in which posting lists are sorted. */
  get isPostingOrder(): boolean {
    const { kind, order } = this.options;
    return order.field === DEFAULT_ORDERS[kind].field;
  }

  /** Holds for an item, as `source`, that meets every clause but the one that `chosen` has found it by. */
  conditionsWithout(
    chosen: AccessPath | undefined,
    probed: readonly ProbedPath[],
  ): readonly Condition[] {
    const others = probed.filter(({ path }) => path !== chosen || !path.isExact);
    return [
      ...others.map((it) => this.#toCondition(it)),
      ...this.options.plan.residual.map((clause) => this.#compileResidual(clause)),
    ];
  }

  #toCondition({ path: { clause, isExact }, ranges }: ProbedPath): Condition {
    const probes = ranges.flatMap((range) => this.#probe(range) ?? []);
    const isProbed = isExact && probes.length === ranges.length;
    return isProbed || clause === undefined ? anyOf(probes) : this.#compile(clause);
  }

  /** Tests an item by an index look-up; undefined where reading its leaves is cheaper. */
  #probe(range: IndexRange): Condition | undefined {
    if (range.kind === "words")
      return this.options.dialect.search.matches(range.match, sql`source.item`);
    if (range.kind !== "values" || range.values.length > MOST_PROBES) return undefined;
    return hasPosting(range, this.options);
  }

  #compileResidual(node: KqlNode): Condition {
    if (node.type !== "not") return this.#compile(node);
    const clause = node.item;
    const found = findRanges(clause, "", this.options.now);
    const condition =
      found === undefined
        ? this.#compileResidual(clause)
        : this.#toCondition({ path: { clause, ...found }, ranges: found.ranges });
    return sql<SqlBool>`not ${condition}`;
  }

  #compile(node: KqlNode): Condition {
    const { collection, now, dialect } = this.options;
    return compileKql(node, {
      ...{ item: sql`source.item`, collection: sql.lit(collection), now, dialect },
    });
  }
}
