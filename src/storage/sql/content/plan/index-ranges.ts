import { type RawBuilder, type SqlBool, sql } from "kysely";
import { type Condition, isOneOf } from "../filter/conditions.ts";
import { findPath, findPathsAtOrBelow } from "../filter/kql-leaf.ts";
import { toScope } from "../filter/search-words.ts";
import type { Seek } from "./access-paths.ts";
import { onShelf, type Shelf, toConditions } from "./order-runs.ts";

/** Where seeks look, and the full-text query if there is a search. */
export interface SeekPlace extends Shelf {
  readonly search: string | undefined;
}

/** A seek of values. */
export type ValueSeek = Extract<Seek, { kind: "values" }>;

/**
 * Writes what a seek finds as a query of `item`, `sort_time` and `id`, the last two null from a search;
 * an item may come several times.
 */
export function selectSeek(seek: Seek, place: SeekPlace): RawBuilder<unknown> {
  switch (seek.kind) {
    case "words":
      return selectFound(place);
    case "values":
      return selectFrom("content_value", onValues(seek, place));
    case "range": {
      const within = sql<SqlBool>`source.value between ${seek.from} and ${seek.to}`;
      return selectFrom("content_value", [...onPath(seek.path, place), within]);
    }
    case "path":
      return selectFrom("content_value", [
        sql<SqlBool>`source.path in (${findPathsAtOrBelow(seek.path, sql.lit(place.collection))})`,
        sql<SqlBool>`source.visibility = ${place.visibility}`,
      ]);
    case "ids": {
      const among = isOneOf(sql`source.id`, seek.ids);
      return selectFrom("content", [...onShelf(place), among]);
    }
    case "times": {
      const within = toConditions(sql.raw(`source.${seek.column}`), seek.bounds);
      return selectFrom("content", [...onShelf(place), ...within]);
    }
    default:
      return seek satisfies never;
  }
}

/** Tells a row of the table of values, as `source`, that a seek of values finds. */
export function onValues({ path, values }: ValueSeek, place: Shelf): readonly Condition[] {
  return [...onPath(path, place), isOneOf(sql`source.value`, values)];
}

/** Tells an item, as `source`, by its place among those that have one of the values. */
export function isListedIn({ path, values }: ValueSeek, place: Shelf): Condition {
  const conditions = [
    sql<SqlBool>`listed.path = ${findPath(path, sql.lit(place.collection))}`,
    sql<SqlBool>`listed.visibility = ${place.visibility}`,
    isOneOf(sql`listed.value`, values),
    sql<SqlBool>`listed.sort_time = source.sort_time`,
    sql<SqlBool>`listed.id = source.id`,
  ];
  return sql<SqlBool>`exists (select 1 from content_value as listed where ${sql.join(conditions, sql` and `)})`;
}

/** Tells an item that the search finds. */
export function isFoundByWords({ search }: SeekPlace): Condition {
  return sql<SqlBool>`exists (select 1 from content_search where content_search match ${search} and rowid = source.item)`;
}

function onPath(path: string, { collection, visibility }: Shelf): readonly Condition[] {
  return [
    sql<SqlBool>`source.path = ${findPath(path, sql.lit(collection))}`,
    sql<SqlBool>`source.visibility = ${visibility}`,
  ];
}

function selectFrom(table: string, conditions: readonly Condition[]): RawBuilder<unknown> {
  return sql`select item, sort_time, id from ${sql.raw(table)} as source where ${sql.join(conditions, sql` and `)}`;
}

function selectFound({ search, collection, visibility }: SeekPlace): RawBuilder<unknown> {
  const match = `scope : ${toScope(collection, visibility)} AND ${search}`;
  return sql`select rowid as item, null as sort_time, null as id from content_search where content_search match ${match}`;
}
