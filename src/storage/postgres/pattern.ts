import { type Expression, type SqlBool, sql } from "kysely";
import type { Condition } from "../sql/content/filter/conditions.ts";
import type { Bound } from "../sql/content/filter/form-values.ts";

/** The most characters between stars that LIKE compares. */
const LIKE_LENGTH = 32;

/**
 * Returns the LIKE pattern of a pattern, and the regular expression of the whole pattern if it has more characters
 * between stars than LIKE compares, otherwise "".
 */
export function toLike(parts: readonly string[]): readonly [like: string, whole: string] {
  const starts = parts.map((part) => [...part].slice(0, LIKE_LENGTH).join(""));
  const isWhole = starts.every((start, index) => start === parts[index]);
  const like = starts
    .map((start, index) => escapeLike(start) + (start === parts[index] ? "" : "%"))
    .join("%");
  return [like, isWhole ? "" : `^${parts.map(escapeExpression).join(".*")}$`];
}

/**
 * Matches a column with a pattern of `toLike`, byte for byte. The time of LIKE is proportional to column times text,
 * as is that of `strpos`, so it compares only the beginning of a long text, and the regular expression decides: it
 * has no groups, and so its automaton reads the column once.
 */
export function matchesLike(
  column: Expression<unknown>,
  [like, whole]: readonly Bound[],
): Condition {
  return sql<SqlBool>`(${column} like ${like} and (${whole} = '' or ${column} ~ ${whole}))`;
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}

function escapeExpression(text: string): string {
  return text.replace(/[\\^$.|?*+()[\]{}-]/g, "\\$&");
}
