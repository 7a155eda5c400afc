import { type Expression, RawNode, ValueNode } from "kysely";

/** A value to bind, or a piece of SQL. */
type Part = SqlText | Uint8Array | string | number | null;

/** Stands for a value in a text. */
export const MARK = "?";

/**
 * A piece of SQL with its values, or a whole query. Kysely's `sql` makes a tree of nodes; this class joins texts. The
 * SQL of a list is written for each list, and a tree would take longer than the list itself.
 */
export class SqlText<T = unknown> implements Expression<T> {
  /** The text, with `?` for each value. */
  readonly text: string;
  readonly values: readonly unknown[];

  constructor(text: string, values: readonly unknown[]) {
    this.text = text;
    this.values = values;
  }

  get expressionType(): T | undefined {
    return undefined;
  }

  /** Returns the text with the placeholders of an engine, which are counted from 1. */
  write(placeholderOf: (index: number) => string): string {
    const [first = "", ...parts] = this.text.split(MARK);
    return parts.reduce((text, part, index) => text + placeholderOf(index + 1) + part, first);
  }

  toOperationNode(): RawNode {
    return RawNode.create(this.text.split(MARK), this.values.map(ValueNode.create));
  }
}

/** Writes SQL: a part that is SQL becomes part of the text, any other is bound. */
export function sql<T = never>(texts: TemplateStringsArray, ...parts: Part[]): SqlText<T> {
  let text = texts[0] ?? "";
  const values: unknown[] = [];
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index];
    if (part instanceof SqlText) {
      text += part.text;
      for (const value of part.values) values.push(value);
    } else {
      text += MARK;
      values.push(part);
    }
    text += texts[index + 1];
  }
  return new SqlText(text, values);
}

/** Returns SQL without values; the text must not come from a caller. */
export function raw<T = never>(text: string): SqlText<T> {
  return new SqlText(text, []);
}

/** Joins parts by a text. */
export function join(parts: readonly Part[], separator = ", "): SqlText<never> {
  const pieces = parts.map((part) => (part instanceof SqlText ? part : sql`${part}`));
  return new SqlText(
    pieces.map(({ text }) => text).join(separator),
    pieces.flatMap(({ values }) => values),
  );
}

/** An SQL condition on a row. It is never null for a row whose columns are not null. */
export type Condition = SqlText<boolean>;

/** True for every row. */
export const ALWAYS: Condition = sql`1 = 1`;

/** True for no row. */
export const NEVER: Condition = sql`1 = 0`;

/** Joins conditions by AND; no conditions are true for every row. */
export function allOf(conditions: readonly Condition[]): Condition {
  return joinBalanced(conditions, sql`and`, ALWAYS);
}

/** Joins conditions by OR; no conditions are true for no row. */
export function anyOf(conditions: readonly Condition[]): Condition {
  return joinBalanced(conditions, sql`or`, NEVER);
}

/** True where a column has one of the values. There must be at least one. */
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
