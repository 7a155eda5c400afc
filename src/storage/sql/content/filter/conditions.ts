import { type Expression, type SqlBool, sql } from "kysely";
import type { Bound } from "./form-values.ts";

/** An SQL condition on a row. It is null for no row whose columns are not. */
export type Condition = Expression<SqlBool>;

/** Holds for every row. */
export const ALWAYS: Condition = sql<SqlBool>`1 = 1`;

/** Holds for no row. */
export const NEVER: Condition = sql<SqlBool>`1 = 0`;

/** Joins conditions by AND; none holds for every row. */
export function allOf(conditions: readonly Condition[]): Condition {
  return join(conditions, sql`and`, ALWAYS);
}

/** Joins conditions by OR; none holds for no row. */
export function anyOf(conditions: readonly Condition[]): Condition {
  return join(conditions, sql`or`, NEVER);
}

/** Holds where a column has one of the values. There must be at least one. */
export function isOneOf(
  column: Expression<unknown>,
  values: readonly (Bound | Expression<unknown>)[],
): Condition {
  return values.length === 1
    ? sql<SqlBool>`${column} = ${values[0]}`
    : sql<SqlBool>`${column} in (${sql.join(values)})`;
}

/** Joins as a balanced tree: engines limit the depth of expressions, and a chain is as deep as it is long. */
function join(
  conditions: readonly Condition[],
  operator: Expression<unknown>,
  empty: Condition,
): Condition {
  const [first, second] = conditions;
  if (first === undefined) return empty;
  if (second === undefined) return first;
  const middle = Math.ceil(conditions.length / 2);
  const left = join(conditions.slice(0, middle), operator, empty);
  const right = join(conditions.slice(middle), operator, empty);
  return sql<SqlBool>`(${left} ${operator} ${right})`;
}
