import { type Expression, type SqlBool, sql } from "kysely";
import type { Condition } from "../sql/content/filter/conditions.ts";
import type { Bound } from "../sql/content/filter/form-values.ts";

/** Returns what a pattern begins with, has between its two stars, and ends with; of more stars, a LIKE pattern. */
export function toEnds(parts: readonly string[]): readonly string[] {
  const [start = "", ...others] = parts;
  const [end = "", middle = "", ...more] = others.reverse();
  return more.length === 0 ? [start, middle, end] : [parts.map(escapeLike).join("%")];
}

/**
 * Matches a column with a pattern of `toEnds`, byte for byte. Up to two stars take time proportional to the text,
 * where LIKE tries every place anew: the first occurrence of what is between them leaves most to the end.
 */
export function matchesEnds(
  column: Expression<unknown>,
  [start, middle, end]: readonly Bound[],
): Condition {
  if (middle === undefined) return sql<SqlBool>`${column} like ${start}`;
  const found = sql`strpos(substr(${column}, length(${start}) + 1), ${middle})`;
  return sql<SqlBool>`(starts_with(${column}, ${start}) and right(${column}, length(${end})) = ${end} and ${found} > 0 and length(${start}) + ${found} - 1 + length(${middle}) + length(${end}) <= length(${column}))`;
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
