import { type Expression, type Kysely, type RawBuilder, type SqlBool, sql } from "kysely";
import {
  type ContentKind,
  type ContentOrder,
  DEFAULT_ORDERS,
} from "../../../../domain/content/order.ts";
import { countNodes, type KqlNode } from "../../../../domain/kql/index.ts";
import type { WorkBudget } from "../../../../domain/work-budget.ts";
import type { ContentPlace } from "../../../delivery-store.ts";
import { runCounted } from "../../counted.ts";
import type { Schema } from "../../schema.ts";
import { UNSET_TIME } from "../../times.ts";
import { findTimeColumn, VALUE_LENGTH } from "../content-values.ts";
import { anyOf, type Condition } from "../filter/conditions.ts";
import { compileKql } from "../filter/kql-filter.ts";
import { findPath } from "../filter/kql-leaf.ts";
import { type Driver, findSeeks, listClauses, type Seek, splitFilter } from "./access-paths.ts";
import {
  isFoundByWords,
  isListedIn,
  onValues,
  type SeekPlace,
  type ValueSeek,
} from "./index-ranges.ts";
import { findKeyBounds, type KeyBounds } from "./key-bounds.ts";
import { onShelf, type Segment, splitIds, splitTexts, splitTimes } from "./order-runs.ts";

/** What is asked of one shelf. */
export interface ShelfOptions extends SeekPlace {
  readonly kind: ContentKind;
  readonly filter: KqlNode | undefined;
  readonly order: ContentOrder;
  /** Unix milliseconds. */
  readonly now: number;
  readonly budget: WorkBudget;
}

/** An item as a list finds it, with its place in the list's order. */
export interface ListedRow extends ContentPlace {
  readonly doc: string;
}

/** A driver and those of its seeks that find something. */
export interface FoundSeeks {
  readonly driver: Driver;
  readonly seeks: readonly Seek[];
}

/** A list of one shelf, taken apart into what a plan is made of. */
export class ShelfQuery {
  readonly #db: Kysely<Schema>;
  readonly options: ShelfOptions;
  /** The clauses by which items can be found, the search among them. */
  readonly drivers: readonly Driver[];
  readonly #rest: readonly KqlNode[];
  readonly #bounds: KeyBounds | undefined;

  constructor(db: Kysely<Schema>, options: ShelfOptions) {
    const { filter, search, order, now } = options;
    const { drivers, rest } = splitFilter(filter, now);
    this.#db = db;
    this.options = options;
    this.drivers =
      search === undefined ? drivers : [...drivers, { seeks: [{ kind: "words" }], isExact: true }];
    this.#rest = rest;
    this.#bounds = findKeyBounds(listClauses(filter), order.field, now);
  }

  /** Runs a query of the list and counts its time. */
  run<T>(query: RawBuilder<T>): Promise<readonly T[]> {
    return runCounted(this.#db, this.options.budget, query.compile(this.#db));
  }

  /** How much it takes to try an item: 1 for a filter of a few clauses. */
  get weight(): number {
    const { filter } = this.options;
    return Math.max(1, filter === undefined ? 0 : countNodes(filter) / LIGHT);
  }

  /** Whether the table of values has the order of the list. */
  get isOwnOrder(): boolean {
    const { kind, order } = this.options;
    return order.field === DEFAULT_ORDERS[kind].field;
  }

  /**
   * Tells an item, as `source`, that meets every clause but the one that `chosen` has met. Of the
   * drivers only those of their seeks are asked that were seen to find anything.
   */
  conditionsWithout(
    chosen: Driver | undefined,
    counted: readonly FoundSeeks[],
  ): readonly Condition[] {
    const others = counted.filter(({ driver }) => driver !== chosen || !driver.isExact);
    return [
      ...others.map(({ driver, seeks }) => this.#toCondition(driver, seeks)),
      ...this.#rest.map((node) => this.#compile(node)),
    ];
  }

  #toCondition({ clause, isExact }: Driver, seeks: readonly Seek[]): Condition {
    if (clause === undefined) return isFoundByWords(this.options);
    if (!isExact || !seeks.every(isFewValues)) return this.#compile(clause);
    return anyOf(seeks.map((seek) => isListedIn(seek, this.options)));
  }

  /** An equality is looked up by the item's place in its list, anything else among its leaves. */
  #compile(node: KqlNode): Condition {
    const { collection, now } = this.options;
    if (node.type === "not") return sql<SqlBool>`not ${this.#compile(node.item)}`;
    const found = findSeeks(node, "", now);
    if (found?.isExact && found.seeks.length > 0 && found.seeks.every(isFewValues)) {
      return anyOf(found.seeks.map((seek) => isListedIn(seek, this.options)));
    }
    return compileKql(node, { item: sql`source.item`, collection: sql.lit(collection), now });
  }

  /** Splits the list's order behind a place; along one value, if its table has the order. */
  split(along: ValueSeek | undefined, after: ContentPlace | undefined): readonly Segment[] {
    const { direction, field } = this.options.order;
    const table = along === undefined ? "content" : "content_value";
    const conditions = along === undefined ? onShelf(this.options) : onValues(along, this.options);
    if (field === "id") {
      // Without a time of their own, items lie in the table of values by their ids.
      const timeless = sql<SqlBool>`source.sort_time = ${sql.lit(UNSET_TIME)}`;
      const own = along === undefined ? conditions : [...conditions, timeless];
      return splitIds(table, own, direction, after);
    }
    const column = findTimeColumn(field);
    if (column === undefined) return splitTexts(this.options, field, direction, after);
    return splitTimes({ table, column, conditions }, direction, this.#bounds, after);
  }

  /** What an item, as a `source` of content, is ordered by; undefined for its id. */
  get key(): Expression<unknown> | undefined {
    const { field } = this.options.order;
    const column = findTimeColumn(field);
    if (column !== undefined)
      return sql`nullif(${sql.raw(`source.${column}`)}, ${sql.lit(UNSET_TIME)})`;
    if (field === "id") return undefined;
    const path = findPath(field, sql.lit(this.options.collection));
    return sql`(select substr(key, 1, ${sql.lit(VALUE_LENGTH)}) from content_leaf as leaf where leaf.item = source.item and leaf.path = ${path})`;
  }
}

/** Tells a seek of so few values that an item is better looked up among those that have them. */
function isFewValues(seek: Seek): seek is ValueSeek {
  return seek.kind === "values" && seek.values.length <= FEW_VALUES;
}

const FEW_VALUES = 3;

/** How many nodes a filter has that is tried in no time. */
const LIGHT = 8;
