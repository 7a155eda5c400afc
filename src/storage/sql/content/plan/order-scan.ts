import { sql } from "kysely";
import type { ContentPlace } from "../../../delivery-store.ts";
import type { Condition } from "../filter/conditions.ts";
import type { CountedDriver } from "./count-access-paths.ts";
import type { ValueSeek } from "./index-ranges.ts";
import type { Segment } from "./order-runs.ts";
import type { ListedRow, ShelfQuery } from "./partition-query.ts";

/** What a step of a walk found. */
export interface WalkStep {
  readonly rows: readonly ListedRow[];
  /** Where the step ended; absent when as many were found as wanted, or when the order ended. */
  readonly end?: ContentPlace;
}

/** Walks the order of a list and tries each item; along the lane of a driver, if one is chosen. */
export class OrderWalk {
  readonly #query: ShelfQuery;
  readonly #lane: ValueSeek | undefined;
  readonly #conditions: readonly Condition[];
  #segments: readonly Segment[];

  constructor(
    query: ShelfQuery,
    counted: readonly CountedDriver[],
    chosen: CountedDriver | undefined,
    after: ContentPlace | undefined,
  ) {
    this.#query = query;
    this.#lane = chosen?.lane;
    this.#conditions = query.conditionsWithout(chosen?.driver, counted);
    this.#segments = query.split(this.#lane, after);
  }

  /** Goes on until `wanted` items were found or about `size` were tried. */
  async step(wanted: number, size: number): Promise<WalkStep> {
    const rows: ListedRow[] = [];
    for (const segment of this.#segments) {
      const end = this.#conditions.length > 0 ? await this.#findEnd(segment, size) : undefined;
      rows.push(...(await this.#select(segment, end, wanted - rows.length)));
      if (rows.length === wanted) break;
      if (end !== undefined) {
        this.#segments = this.#query.split(this.#lane, end);
        return { rows, end };
      }
    }
    return { rows };
  }

  /** Finds the place that lies so many items ahead; undefined where the segment ends before. */
  async #findEnd(segment: Segment, size: number): Promise<ContentPlace | undefined> {
    const { table, key, conditions, orderBy } = segment;
    const [end] = await this.#query.run(sql<ContentPlace>`
      select ${key} as key, source.id from ${sql.raw(table)} as source
      where ${sql.join(conditions, sql` and `)}
      order by ${orderBy} limit 1 offset ${size}
    `);
    return end;
  }

  async #select(segment: Segment, end: ContentPlace | undefined, limit: number) {
    const { table, key, orderBy } = segment;
    const conditions = [
      ...segment.conditions,
      ...(end === undefined ? [] : [segment.upTo(end)]),
      ...this.#conditions,
    ];
    const select = sql`
      from ${sql.raw(table)} as source where ${sql.join(conditions, sql` and `)}
      order by ${orderBy} limit ${limit}
    `;
    // The documents of what was tried in vain are not read.
    const query =
      table === "content"
        ? sql<ListedRow>`select ${key} as key, source.id, source.doc ${select}`
        : sql<ListedRow>`
            select source.key, source.id, doc
            from (select ${key} as key, source.id as id, source.item as item ${select}) as source
            cross join content on content.item = source.item
            order by ${segment.orderOf}
          `;
    return await this.#query.run(query);
  }
}
