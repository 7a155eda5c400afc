import { join, type SqlText, sql } from "../../../db/sql-text.ts";

/** An SQL condition on a row. It is null for no row whose columns are not. */
export type Condition = SqlText<boolean>;

/** Holds for every row. */
export const ALWAYS: Condition = sql`1 = 1`;

/** Holds for no row. */
export const NEVER: Condition = sql`1 = 0`;

/** Joins conditions by AND; none holds for every row. */
export function allOf(conditions: readonly Condition[]): Condition {
  return joinBalanced(conditions, sql`and`, ALWAYS);
}

/** Joins conditions by OR; none holds for no row. */
export function anyOf(conditions: readonly Condition[]): Condition {
  return joinBalanced(conditions, sql`or`, NEVER);
}

/** Holds where a column has one of the values. There must be at least one. */
export function isOneOf(column: SqlText, values: readonly (string | number)[]): Condition {
  return values.length === 1
    ? sql`${column} = ${values[0] ?? null}`
    : sql`${column} in (${join(values)})`;
}

/** Joins as a balanced tree: engines limit the depth of expressions, and a chain is as deep as it is long. */
function joinBalanced(
  conditions: readonly Condition[],
  operator: SqlText,
  empty: Condition,
): Condition {
  const [first, second] = conditions;
  if (first === undefined) return empty;
  if (second === undefined) return first;
  const middle = Math.ceil(conditions.length / 2);
  const left = joinBalanced(conditions.slice(0, middle), operator, empty);
  const right = joinBalanced(conditions.slice(middle), operator, empty);
  return sql`(${left} ${operator} ${right})`;
}
