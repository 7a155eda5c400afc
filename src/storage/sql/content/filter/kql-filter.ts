import { type Expression, type SqlBool, sql } from "kysely";
import type { Dialect } from "../../dialect.ts";
import { ALWAYS, allOf, anyOf, type Condition } from "./conditions.ts";
import type { FieldName, FilterForm, ValueForm } from "./filter-form.ts";
import { equalsOneOf, hasName, isAtOrBelow, isInRange, isPath } from "./kql-leaf.ts";

/** The context of a compiled filter in its outer query. */
export interface KqlFilterOptions {
  /** The item in the outer query, such as `sql.ref("content.item")`. */
  readonly item: Expression<unknown>;
  /** The item's collection. */
  readonly collection: Expression<unknown>;
  readonly dialect: Dialect;
}

/** The object that a clause applies to: the item, or at greater depth an element of a nested field. */
interface Scope extends KqlFilterOptions {
  readonly prefix: string;
  readonly depth: number;
}

/**
 * Compiles the form of a filter into a condition on `content_leaf` and `content_node`, true exactly where
 * `matchKql` is, and never null. Names are bound parameters, as the values are.
 */
export function compileKql(node: FilterForm, options: KqlFilterOptions): Expression<SqlBool> {
  return compileNode(node, { ...options, prefix: "", depth: 0 });
}

function compileNode(node: FilterForm, scope: Scope): Condition {
  switch (node.type) {
    case "all":
      return ALWAYS;
    case "and":
      return allOf(node.items.map((item) => compileNode(item, scope)));
    case "or":
      return compileOr(node.items, scope);
    case "not":
      return sql<SqlBool>`not ${compileNode(node.item, scope)}`;
    case "exists":
      return someLeaf(scope, [isAtOrBelow(node.name, scope)]);
    case "is":
      return compileEquality(node.name, [node.value], scope);
    case "range":
      return someLeaf(scope, [hasName(node.name, scope), isInRange(node.operator, node.bound)]);
    case "nested":
      return compileGroup(node.path, node.item, scope);
    default:
      return node satisfies never;
  }
}

/** Compiles alternatives, those that compare one field as one subquery. */
function compileOr(items: readonly FilterForm[], scope: Scope): Condition {
  const fields = new Map<
    string,
    { readonly name: FieldName | null; readonly values: ValueForm[] }
  >();
  const others: Condition[] = [];
  for (const item of items.flatMap(listAlternatives)) {
    if (item.type === "is") {
      const key = toFieldKey(item.name);
      const field = fields.get(key) ?? { name: item.name, values: [] };
      field.values.push(item.value);
      fields.set(key, field);
    } else {
      others.push(compileNode(item, scope));
    }
  }
  const equalities = Array.from(fields.values(), ({ name, values }) =>
    compileEquality(name, values, scope),
  );
  return anyOf([...equalities, ...others]);
}

function listAlternatives(node: FilterForm): readonly FilterForm[] {
  return node.type === "or" ? node.items.flatMap(listAlternatives) : [node];
}

function toFieldKey(name: FieldName | null): string {
  return JSON.stringify(name?.kind === "exact" ? name.path : (name?.parts ?? null));
}

function compileEquality(
  name: FieldName | null,
  values: readonly ValueForm[],
  scope: Scope,
): Condition {
  return someLeaf(scope, [hasName(name, scope), equalsOneOf(values, scope.dialect)]);
}

function someLeaf(scope: Scope, conditions: readonly Condition[]): Condition {
  const where = allOf([isBelow("leaf", scope), ...conditions.filter((it) => it !== ALWAYS)]);
  return sql<SqlBool>`exists (select 1 from content_leaf as leaf where ${where} ${scope.dialect.fence})`;
}

function compileGroup(path: string, item: FilterForm, scope: Scope): Condition {
  const inner = { ...scope, prefix: `${scope.prefix}${path}.`, depth: scope.depth + 1 };
  const alias = toAlias(inner);
  const where = allOf([
    isBelow(alias, scope),
    isPath(scope.prefix + path, scope.collection, alias),
    compileNode(item, inner),
  ]);
  // SQLite limits the depth of nested conditions, but counts from zero in a FROM.
  const rows = sql`select 1 from content_node as ${sql.raw(alias)} where ${where} ${scope.dialect.fence}`;
  return sql<SqlBool>`exists (select 1 from (${rows}) as held)`;
}

/** Holds for rows of the item that lie within the scope's element. */
function isBelow(alias: string, scope: Scope): Condition {
  const inItem = sql<SqlBool>`${sql.raw(`${alias}.item`)} = ${scope.item}`;
  if (scope.depth === 0) return inItem;
  const group = toAlias(scope);
  const node = sql.raw(`${alias}.node`);
  const [first, last] = [sql.raw(`${group}.node`), sql.raw(`${group}.node_last`)];
  return allOf([inItem, sql<SqlBool>`${node} between ${first} and ${last}`]);
}

function toAlias(scope: Scope): string {
  return `group_${scope.depth}`;
}
