import { type Expression, type SqlBool, sql } from "kysely";
import {
  type KqlName,
  type KqlRangeOperator,
  type KqlValue,
  parseEquality,
  parseRangeBound,
  toText,
} from "../../domain/kql/index.ts";
import { ALWAYS, allOf, anyOf, type Condition, NEVER } from "./conditions.ts";
import { nextAfterPrefix, toStoredText } from "./stored-text.ts";

type Column = Expression<unknown>;

const PATH: Column = sql.ref("leaf.path");
const TEXT: Column = sql.ref("leaf.value_text");
const NUMBER: Column = sql.ref("leaf.value_num");
const INSTANT: Column = sql.ref("leaf.value_instant");

const OPERATORS: Readonly<Record<KqlRangeOperator, Expression<unknown>>> = {
  lt: sql`<`,
  lte: sql`<=`,
  gt: sql`>`,
  gte: sql`>=`,
};

/** Tells a leaf by the field of a clause; null is any field. `prefix` is the path of the group, with its dot. */
export function hasName(name: KqlName | null, prefix: string): Condition {
  if (name === null) return ALWAYS;
  if (name.kind === "exact") return equals(PATH, [toStoredText(prefix + name.path)]);
  return name.parts.every((part) => part === "")
    ? ALWAYS
    : matches(PATH, withPrefix(prefix, name.parts));
}

/** Tells a leaf at a field, or below it. */
export function isAtOrBelow(name: KqlName, prefix: string): Condition {
  const parts = name.kind === "exact" ? [name.path] : name.parts;
  const last = parts.at(-1) ?? "";
  const at = withPrefix(prefix, parts);
  const below = withPrefix(prefix, [...parts.slice(0, -1), `${last}.`, ""]);
  return anyOf([matches(PATH, at), matches(PATH, below)]);
}

/** Tells a leaf that equals one of the values, or matches it; `null` and placeholders match nothing. */
export function equalsOneOf(values: readonly KqlValue[]): Condition {
  const equalities = values.map(toText).filter(isKnown).map(parseEquality);
  const patterns = values.flatMap((value) => (value.kind === "pattern" ? [value.parts] : []));
  const texts = [...new Set(equalities.map(({ text }) => toStoredText(text)))];
  const numbers = [...new Set(equalities.map(({ number }) => number).filter(isKnown))];
  const instants = [...new Set(equalities.map(({ instant }) => instant).filter(isKnown))];
  return anyOf([
    ...(texts.length > 0 ? [sql<SqlBool>`(leaf.kind <> 'n' and ${equals(TEXT, texts)})`] : []),
    ...(numbers.length > 0 ? [equals(NUMBER, numbers)] : []),
    ...(instants.length > 0 ? [equals(INSTANT, instants)] : []),
    ...patterns.map((parts) => matches(probed(TEXT), parts)),
  ]);
}

/** Tells a leaf by a range, each kind of leaf in its own way; `now` is in Unix milliseconds. */
export function isInRange(
  operator: KqlRangeOperator,
  value: KqlValue,
  now: number | undefined,
): Condition {
  const bound = parseRangeBound(value, now);
  const compare = (column: Column, limit: unknown) =>
    sql<SqlBool>`${probed(column)} ${OPERATORS[operator]} ${limit}`;
  switch (bound.kind) {
    case "nothing":
      return NEVER;
    case "number":
      return compare(NUMBER, bound.number);
    case "instant":
      return compare(INSTANT, bound.instant);
    case "text": {
      const byText = allOf([
        sql<SqlBool>`leaf.kind = 's'`,
        compare(TEXT, toStoredText(bound.text)),
      ]);
      if (bound.instant === undefined) return byText;
      const byInstant = compare(INSTANT, bound.instant);
      return anyOf([byInstant, allOf([sql<SqlBool>`${INSTANT} is null`, byText])]);
    }
    default:
      return bound satisfies never;
  }
}

function equals(column: Column, values: readonly (string | number)[]): Condition {
  return values.length === 1
    ? sql<SqlBool>`${column} = ${values[0]}`
    : sql<SqlBool>`${column} in (${sql.join(values)})`;
}

/** Matches a column with the texts between the stars of a pattern; one that only ends in stars is a range. */
function matches(column: Column, parts: readonly string[]): Condition {
  const [first = "", ...others] = parts.map(toStoredText);
  if (others.length === 0) return equals(column, [first]);
  if (first === "" || others.some((part) => part !== "")) {
    return matchesGlob(column, [first, ...others]);
  }
  const end = nextAfterPrefix(first);
  return allOf([
    sql<SqlBool>`${column} >= ${first}`,
    ...(end === undefined ? [] : [sql<SqlBool>`${column} < ${end}`]),
  ]);
}

/*
 * What follows is SQLite's own. On Postgres a probed column is the column, and a pattern takes LIKE
 * with a backslash before `\`, `%` and `_`.
 */

/** Matches a column with a pattern of stars; LIKE would ignore the case of ASCII letters. */
function matchesGlob(column: Column, parts: readonly string[]): Condition {
  const pattern = parts.map((part) => part.replace(/[*?[]/g, "[$&]")).join("*");
  return sql<SqlBool>`${column} glob ${pattern}`;
}

/**
 * Keeps a column out of the choice of an index. A clause looks at the leaves of one item, but SQLite
 * guesses that a range over the leaves of all items were shorter and walks it for every item.
 */
function probed(column: Column): Column {
  return sql`+${column}`;
}

function withPrefix(prefix: string, parts: readonly string[]): readonly string[] {
  const [first = "", ...others] = parts;
  return [prefix + first, ...others];
}

function isKnown<T>(value: T | undefined): value is T {
  return value !== undefined;
}
