import { type Expression, type SqlBool, sql } from "kysely";
import type { Condition } from "../sql/content/filter/conditions.ts";
import type { Bound } from "../sql/content/filter/form-values.ts";

/** Returns what a pattern of one or two stars begins with, has in between, and ends with. */
export function toEnds(
  parts: readonly string[],
): readonly [start: string, middle: string, end: string] {
  const [start = "", ...others] = parts;
  const [end = "", middle = "", ...more] = others.reverse();
  if (more.length > 0) throw new Error("a pattern has at most two stars");
  return [start, middle, end];
}

/**
 * Matches a column with a pattern of `toEnds`, in time proportional to its length, and byte for byte: LIKE tries
 * every place anew. The first occurrence of what is between the stars is the one that leaves most to the end.
 */
export function matchesEnds(
  column: Expression<unknown>,
  [start, middle, end]: readonly Bound[],
): Condition {
  const found = sql`strpos(substr(${column}, length(${start}) + 1), ${middle})`;
  return sql<SqlBool>`(starts_with(${column}, ${start}) and right(${column}, length(${end})) = ${end} and ${found} > 0 and length(${start}) + ${found} - 1 + length(${middle}) + length(${end}) <= length(${column}))`;
}
