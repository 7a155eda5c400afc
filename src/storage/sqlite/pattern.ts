import { type Expression, type SqlBool, sql } from "kysely";
import type { Condition } from "../sql/content/filter/conditions.ts";
import type { Bound } from "../sql/content/filter/form-values.ts";
import { toPatternText } from "./functions.ts";

/** The most characters of a text between stars that GLOB compares. */
const GLOB_LENGTH = 32;

/** Returns the GLOB of a pattern, and the whole pattern if it is longer than GLOB compares, otherwise "". */
export function toGlob(parts: readonly string[]): readonly [glob: string, whole: string] {
  const starts = parts.map((part) => cut(part, GLOB_LENGTH));
  const isWhole = starts.every((start, index) => start === parts[index]);
  const glob = starts
    .map((start, index) => escapeGlob(start) + (start === parts[index] ? "" : "*"))
    .join("*");
  return [glob, isWhole ? "" : toPatternText(parts)];
}

/**
 * Matches a column with a pattern of `toGlob`, as LIKE ignores the case of ASCII letters. As GLOB's time is
 * proportional to column times text, it compares only the beginning of a long text, and `matches_pattern`
 * decides.
 */
export function matchesGlob(
  column: Expression<unknown>,
  [glob, whole]: readonly Bound[],
): Condition {
  return sql<SqlBool>`(${column} glob ${glob} and (${whole} = '' or matches_pattern(${column}, ${whole})))`;
}

function escapeGlob(text: string): string {
  return text.replace(/[*?[]/g, "[$&]");
}

/** Truncates a text to at most `length` UTF-16 units, without splitting a character. */
function cut(text: string, length: number): string {
  return text.length <= length
    ? text
    : text
        .slice(0, length)
        .toWellFormed()
        .replace(/\ufffd$/, "");
}
