import { type Expression, type SqlBool, sql } from "kysely";
import type { KqlRangeOperator } from "../../../../domain/kql/index.ts";
import type { Dialect } from "../../dialect.ts";
import { NAME_START, toNameStart } from "../path-name.ts";
import { allOf, anyOf, type Condition, isOneOf, NEVER } from "./conditions.ts";
import type { PatternForm, RangeForm, ValueForm } from "./filter-form.ts";
import type { Bound } from "./form-values.ts";
import { KEY_KINDS } from "./leaf-key.ts";
import { toStoredText } from "./stored-text.ts";

type Column = Expression<unknown>;

const KEY: Column = sql`leaf.key`;
const TEXT: Column = sql`coalesce(leaf.text, substr(leaf.key, 2))`;

const OPERATORS: Readonly<Record<KqlRangeOperator, Expression<unknown>>> = {
  lt: sql`<`,
  lte: sql`<=`,
  gt: sql`>`,
  gte: sql`>=`,
};

/** Holds for leaves at a path. */
export function isPath(path: string, collection: Column): Condition {
  return sql<SqlBool>`leaf.path = ${findPath(path, collection)}`;
}

/** Selects the number of a path in a collection; null, which equals nothing, if it has none. */
export function findPath(path: string, collection: Column): Column {
  const name = toStoredText(path);
  return sql`(select path from content_path where collection = ${collection} and name = ${name} and ${NAME_START} = ${toNameStart(name)})`;
}

/** Holds for leaves that equal or match one of the values. */
export function equalsOneOf(values: readonly ValueForm[], dialect: Dialect): Condition {
  const keys = values.flatMap((it) => (it.kind === "equal" ? it.keys.map(({ key }) => key) : []));
  const patterns = values.flatMap((it) => (it.kind === "pattern" ? [it.pattern] : []));
  return anyOf([
    ...(keys.length > 0 ? [isOneOf(KEY, [...new Set(keys)])] : []),
    ...patterns.map((pattern) => matches(dialect, TEXT, pattern)),
  ]);
}

/** Holds for leaves in a range, compared by the rules of their kind. */
export function isInRange(operator: KqlRangeOperator, bound: RangeForm): Condition {
  const compare = (column: Column, limit: Bound) =>
    sql<SqlBool>`${column} ${OPERATORS[operator]} ${limit}`;
  const within = (kind: string, limit: Bound) => allOf([isOfKind(kind), compare(KEY, limit)]);
  switch (bound.kind) {
    case "nothing":
      return NEVER;
    case "number":
      return within(KEY_KINDS.number, bound.key);
    case "instant":
      return within(KEY_KINDS.instant, bound.key);
    case "text": {
      const byText = within(KEY_KINDS.text, bound.key.key);
      const timestamps =
        bound.instant === undefined
          ? allOf([isOfKind(KEY_KINDS.instant), compare(TEXT, bound.text)])
          : within(KEY_KINDS.instant, bound.instant.key);
      return anyOf([byText, timestamps]);
    }
    default:
      return bound satisfies never;
  }
}

/** Holds for keys of one kind: they lie between its letter and the next. */
function isOfKind(kind: string): Condition {
  const end = String.fromCharCode(kind.charCodeAt(0) + 1);
  return sql<SqlBool>`${KEY} between ${kind} and ${end}`;
}

/** Holds where a column matches a pattern. */
function matches(dialect: Dialect, column: Column, form: PatternForm): Condition {
  switch (form.kind) {
    case "text":
      return isOneOf(column, [form.text]);
    case "prefix":
      return allOf([
        sql<SqlBool>`${column} >= ${form.from}`,
        ...(form.end === undefined ? [] : [sql<SqlBool>`${column} < ${form.end}`]),
      ]);
    case "any":
      return dialect.matches(column, form.pattern);
    case "long":
      throw new Error("a long pattern has no SQL");
    default:
      return form satisfies never;
  }
}
