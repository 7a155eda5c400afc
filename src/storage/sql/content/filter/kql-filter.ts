import { type Expression, type SqlBool, sql } from "kysely";
import type { Dialect } from "../../dialect.ts";
import { ALWAYS, allOf, anyOf, type Condition, isOneOf, NEVER } from "./conditions.ts";
import type { FilterForm, ValueForm } from "./filter-form.ts";
import { equalsOneOf, isInRange, isPath } from "./kql-leaf.ts";

/** The context of a compiled filter in its outer query. */
export interface KqlFilterOptions {
  /** The item in the outer query, such as `sql.ref("content.item")`. */
  readonly item: Expression<unknown>;
  /** The item's collection. */
  readonly collection: Expression<unknown>;
  readonly dialect: Dialect;
}

/** A pattern takes about as long as so many comparisons, and one more value to compare with as this part of one. */
const PATTERN_COST = 8;
const VALUE_COST = 1 / 8;

/**
 * Returns the cost of a form in SQL for one item: that of comparing the leaves of one field is 1. Undefined for what
 * is tested in memory: patterns of fields, free text, groups, long patterns, and fields that stand for many paths.
 */
export function findCost(node: FilterForm): number | undefined {
  switch (node.type) {
    case "all":
      return 0;
    case "and":
      return sum(node.items.map(findCost));
    case "or": {
      const { fields, others } = groupAlternatives(node.items);
      return sum([
        ...Array.from(fields, ([path, values]) => findEqualityCost(path, values)),
        ...others.map(findCost),
      ]);
    }
    case "not":
      return findCost(node.item);
    case "exists":
      return node.paths && 1;
    case "is":
      return findEqualityCost(toPath(node), [node.value]);
    case "range":
      return node.name.kind === "exact" ? 1 : undefined;
    case "nested":
      return undefined;
    default:
      return node satisfies never;
  }
}

function findEqualityCost(
  path: string | undefined,
  values: readonly ValueForm[],
): number | undefined {
  if (path === undefined) return undefined;
  const costs = values.map((value) => {
    if (value.kind !== "pattern") return VALUE_COST;
    return value.pattern.kind === "long" ? undefined : PATTERN_COST;
  });
  return sum(costs, 1);
}

function sum(costs: readonly (number | undefined)[], least = 0): number | undefined {
  return costs.reduce<number | undefined>(
    (total, cost) => (total === undefined || cost === undefined ? undefined : total + cost),
    least,
  );
}

/**
 * Compiles a form that has a cost into a condition on `content_leaf`, true exactly where `matchKql` is, and never
 * null. Names are bound parameters, as the values are.
 */
export function compileKql(node: FilterForm, options: KqlFilterOptions): Condition {
  switch (node.type) {
    case "all":
      return ALWAYS;
    case "and":
      return allOf(node.items.map((item) => compileKql(item, options)));
    case "or": {
      const { fields, others } = groupAlternatives(node.items);
      return anyOf([
        ...Array.from(fields, ([path, values]) => compileEquality(path, values, options)),
        ...others.map((item) => compileKql(item, options)),
      ]);
    }
    case "not":
      return sql<SqlBool>`not ${compileKql(node.item, options)}`;
    case "exists":
      if (node.paths === undefined) break;
      return node.paths.length === 0
        ? NEVER
        : someLeaf(options, [isOneOf(sql`leaf.path`, node.paths)]);
    case "is":
      return compileEquality(toPath(node), [node.value], options);
    case "range": {
      const path = toPath(node);
      if (path === undefined) break;
      const { collection } = options;
      return someLeaf(options, [isPath(path, collection), isInRange(node.operator, node.bound)]);
    }
    case "nested":
      break;
    default:
      return node satisfies never;
  }
  throw new Error(`a clause of type ${node.type} that has no cost has no SQL`);
}

function toPath(node: Extract<FilterForm, { type: "is" | "range" }>): string | undefined {
  return node.name?.kind === "exact" ? node.name.path : undefined;
}

/** Groups alternatives: the values of each field, which are compared in one subquery, and the others. */
function groupAlternatives(items: readonly FilterForm[]) {
  const fields = new Map<string | undefined, ValueForm[]>();
  const others: FilterForm[] = [];
  for (const item of items.flatMap(listAlternatives)) {
    if (item.type !== "is") {
      others.push(item);
      continue;
    }
    const values = fields.get(toPath(item));
    if (values === undefined) fields.set(toPath(item), [item.value]);
    else values.push(item.value);
  }
  return { fields, others };
}

function listAlternatives(node: FilterForm): readonly FilterForm[] {
  return node.type === "or" ? node.items.flatMap(listAlternatives) : [node];
}

function compileEquality(
  path: string | undefined,
  values: readonly ValueForm[],
  options: KqlFilterOptions,
): Condition {
  if (path === undefined) throw new Error("a clause of no single field has no SQL");
  const { collection, dialect } = options;
  return someLeaf(options, [isPath(path, collection), equalsOneOf(values, dialect)]);
}

function someLeaf(
  { item, dialect }: KqlFilterOptions,
  conditions: readonly Condition[],
): Condition {
  const where = allOf([sql<SqlBool>`leaf.item = ${item}`, ...conditions]);
  return sql<SqlBool>`exists (select 1 from content_leaf as leaf where ${where} ${dialect.fence})`;
}
