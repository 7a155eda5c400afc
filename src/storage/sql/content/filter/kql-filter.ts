import { type Expression, type SqlBool, sql } from "kysely";
import type { KqlName, KqlNode, KqlValue } from "../../../../domain/kql/index.ts";
import { ALWAYS, allOf, anyOf, type Condition } from "./conditions.ts";
import { equalsOneOf, hasName, isAtOrBelow, isInRange, isPath } from "./kql-leaf.ts";

/** What the compiler takes from the query around it. */
export interface KqlFilterOptions {
  /** The number of the item in the outer query, such as `sql.ref("content.item")`. */
  readonly item: Expression<unknown>;
  /** The number of the item's collection. */
  readonly collection: Expression<unknown>;
  /** Unix milliseconds of the request; without it a bound that reads the clock matches nothing. */
  readonly now: number | undefined;
}

/** Where a clause stands: in the item, or in a group that has the alias of its row. */
interface Scope extends KqlFilterOptions {
  readonly prefix: string;
  readonly depth: number;
}

/**
 * Compiles a filter into a condition on the rows of `toLeafRows` in `content_leaf` and
 * `content_node`, true where `matchKql` is and never null. Names, values and patterns are bound
 * parameters; the text of the statement depends on the shape of the filter alone.
 */
export function compileKql(node: KqlNode, options: KqlFilterOptions): Expression<SqlBool> {
  return compileNode(node, { ...options, prefix: "", depth: 0 });
}

function compileNode(node: KqlNode, scope: Scope): Condition {
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
      return someLeaf(scope, [isAtOrBelow(node.name, scope.prefix)]);
    case "is":
      return compileEquality(node.name, [node.value], scope);
    case "range":
      return someLeaf(scope, [
        hasName(node.name, scope.prefix, scope.collection),
        isInRange(node.operator, node.value, scope.now),
      ]);
    case "nested":
      return compileGroup(node.path, node.item, scope);
    default:
      return node satisfies never;
  }
}

/** Reads all values of one field in one look at its leaves. */
function compileOr(items: readonly KqlNode[], scope: Scope): Condition {
  const fields = new Map<string, { readonly name: KqlName | null; readonly values: KqlValue[] }>();
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

function listAlternatives(node: KqlNode): readonly KqlNode[] {
  return node.type === "or" ? node.items.flatMap(listAlternatives) : [node];
}

function toFieldKey(name: KqlName | null): string {
  return JSON.stringify(name?.kind === "exact" ? name.path : (name?.parts ?? null));
}

function compileEquality(
  name: KqlName | null,
  values: readonly KqlValue[],
  scope: Scope,
): Condition {
  return someLeaf(scope, [hasName(name, scope.prefix, scope.collection), equalsOneOf(values)]);
}

function someLeaf(scope: Scope, conditions: readonly Condition[]): Condition {
  const where = allOf([isBelow("leaf", scope), ...conditions.filter((it) => it !== ALWAYS)]);
  return sql<SqlBool>`exists (select 1 from content_leaf as leaf where ${where})`;
}

function compileGroup(path: string, item: KqlNode, scope: Scope): Condition {
  const inner = { ...scope, prefix: `${scope.prefix}${path}.`, depth: scope.depth + 1 };
  const alias = toAlias(inner);
  const where = allOf([
    isBelow(alias, scope),
    isPath(scope.prefix + path, scope.collection, alias),
    compileNode(item, inner),
  ]);
  // SQLite adds up the depths of conditions within conditions but counts none of a FROM.
  const rows = sql`select 1 from content_node as ${sql.raw(alias)} where ${where}`;
  return sql<SqlBool>`exists (select 1 from (${rows}) as held)`;
}

/** Ties a row to the item and to the group around it. */
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
