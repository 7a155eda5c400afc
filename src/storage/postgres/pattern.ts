import { type Expression, type SqlBool, sql } from "kysely";
import type { Condition } from "../sql/content/filter/conditions.ts";
import type { Bound } from "../sql/content/filter/form-values.ts";

/** The most characters of a text that `strpos` looks for: at worst its time is proportional to text times pattern. */
const SEARCHED_LENGTH = 32;

/**
 * Returns what a pattern begins with, has between its two stars, and ends with, and the part of the middle that is
 * searched first; of more stars, a LIKE pattern.
 */
export function toEnds(parts: readonly string[]): readonly string[] {
  const [start = "", ...others] = parts;
  const [end = "", middle = "", ...more] = others.reverse();
  if (more.length > 0) return [parts.map(escapeLike).join("%")];
  return [start, middle, end, cutRarest(middle)];
}

/**
 * Matches a column with a pattern of `toEnds`, byte for byte. Up to two stars take time proportional to the text,
 * where LIKE tries every place anew: a long middle, if its rarest part is found, is a literal (`***=`) for the
 * automaton of regular expressions.
 */
export function matchesEnds(
  column: Expression<unknown>,
  [start, middle, end, part]: readonly Bound[],
): Condition {
  if (middle === undefined) return sql<SqlBool>`${column} like ${start}`;
  const rest = sql`substr(${column}, length(${start}) + 1, greatest(0, length(${column}) - length(${start}) - length(${end})))`;
  const found = sql`case when strpos(${rest}, ${part}) = 0 then false when ${part} = ${middle} then true else ${rest} ~ ('***=' || ${middle}) end`;
  return sql<SqlBool>`(starts_with(${column}, ${start}) and right(${column}, length(${end})) = ${end} and length(${start}) + length(${end}) <= length(${column}) and ${found})`;
}

/** Cuts a long text to what surrounds its rarest character. */
function cutRarest(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= SEARCHED_LENGTH) return text;
  const places = Map.groupBy(characters.keys(), (place) => characters[place]);
  const [rarest = []] = [...places.values()].sort((a, b) => a.length - b.length);
  const from = Math.max(0, (rarest[0] ?? 0) - SEARCHED_LENGTH / 2);
  return characters.slice(from, from + SEARCHED_LENGTH).join("");
}

function escapeLike(text: string): string {
  return text.replace(/[\\%_]/g, "\\$&");
}
