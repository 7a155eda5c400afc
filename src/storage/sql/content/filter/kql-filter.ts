import {
  type KqlName,
  type KqlNode,
  type KqlRangeOperator,
  type KqlValue,
  parseEquality,
  parseRangeBound,
  toText,
} from "../../../../domain/kql/index.ts";
import {
  KEY_KINDS,
  type LeafKey,
  toEqualKeys,
  toInstantKey,
  toNumberKey,
  toStoredText,
  toTextKey,
} from "../../../content/leaf-key.ts";
import {
  ALWAYS,
  allOf,
  anyOf,
  type Condition,
  isOneOf,
  NEVER,
  type SqlText,
  sql,
} from "../../../db/sql-text.ts";
import type { Dialect } from "../../base/dialect.ts";
import { selectPath } from "../index/collections.ts";
import type { ExistingPaths } from "./field-names.ts";

/** The facts besides a filter that its SQL depends on. */
export interface FilterScope {
  readonly dialect: Dialect;
  /** The collection of the items. */
  readonly collection: number;
  /** The value of `now`, in Unix milliseconds; undefined: a bound that reads it matches nothing. */
  readonly now: number | undefined;
  readonly existing: ExistingPaths;
}

/** The cost of a pattern in comparisons, and the cost of one more value to compare with. */
const PATTERN_COST = 8;
const VALUE_COST = 1 / 8;

/**
 * Maximum length of a part of a pattern in SQL: the time is proportional to the longest part, except the first, times
 * the text.
 */
const LONGEST_PART = 32;

/**
 * Returns the cost of testing one item for a filter in SQL: comparing the leaves of one field costs 1. Undefined for
 * filters that are tested in memory: patterns of fields, free text, groups, long patterns, and fields with many paths.
 */
export function findCost(node: KqlNode, scope: Pick<FilterScope, "existing">): number | undefined {
  switch (node.type) {
    case "all":
      return 0;
    case "and":
      return sum(node.items.map((item) => findCost(item, scope)));
    case "or": {
      const { fields, others } = groupAlternatives(node.items);
      return sum([
        ...Array.from(fields, ([path, values]) => findEqualityCost(path, values)),
        ...others.map((item) => findCost(item, scope)),
      ]);
    }
    case "not":
      return findCost(node.item, scope);
    case "exists":
      return findExisting(node.name, scope) && 1;
    case "is":
      return findEqualityCost(toPath(node), [node.value]);
    case "range":
      return toPath(node) === undefined ? undefined : 1;
    case "nested":
      return undefined;
    default:
      return node satisfies never;
  }
}

function findEqualityCost(
  path: string | undefined,
  values: readonly KqlValue[],
): number | undefined {
  if (path === undefined) return undefined;
  const costs = values.map((value) => {
    if (value.kind !== "pattern") return VALUE_COST;
    const isLong = value.parts.slice(1).some((part) => part.length > LONGEST_PART);
    return isLong ? undefined : PATTERN_COST;
  });
  return sum(costs, 1);
}

function sum(costs: readonly (number | undefined)[], least = 0): number | undefined {
  return costs.reduce<number | undefined>(
    (total, cost) => (total === undefined || cost === undefined ? undefined : total + cost),
    least,
  );
}

const NO_SQL = "a clause without a cost has no SQL";

/**
 * Compiles a filter that has a cost into a condition on the leaves of an item, `source.item`: true exactly where
 * `matchKql` is, and never null.
 */
export function compileKql(node: KqlNode, scope: FilterScope): Condition {
  const { collection, dialect } = scope;
  const someLeaf = (conditions: readonly Condition[]) =>
    sql`exists (select 1 from content_leaf as leaf where ${allOf([sql`leaf.item = source.item`, ...conditions])} ${dialect.fence})`;
  const someLeafAt = (path: string | undefined, condition: Condition) => {
    if (path === undefined) throw new Error(NO_SQL);
    return someLeaf([sql`leaf.path = ${selectPath(path, collection)}`, condition]);
  };
  switch (node.type) {
    case "all":
      return ALWAYS;
    case "and":
      return allOf(node.items.map((item) => compileKql(item, scope)));
    case "or": {
      const { fields, others } = groupAlternatives(node.items);
      return anyOf([
        ...Array.from(fields, ([path, values]) => someLeafAt(path, equalsOneOf(values, dialect))),
        ...others.map((item) => compileKql(item, scope)),
      ]);
    }
    case "not":
      return sql`not ${compileKql(node.item, scope)}`;
    case "exists": {
      const paths = findExisting(node.name, scope);
      if (paths === undefined) throw new Error(NO_SQL);
      return paths.length === 0 ? NEVER : someLeaf([isOneOf(sql`leaf.path`, paths)]);
    }
    case "is":
      return someLeafAt(toPath(node), equalsOneOf([node.value], dialect));
    case "range":
      return someLeafAt(toPath(node), isInRange(node.operator, node.value, scope.now));
    case "nested":
      throw new Error(NO_SQL);
    default:
      return node satisfies never;
  }
}

/** Returns the path of a clause's field; undefined for a pattern or an absent name. */
export function toPath({ name }: Extract<KqlNode, { type: "is" | "range" }>): string | undefined {
  return name?.kind === "exact" ? name.path : undefined;
}

/** Returns the numbers of the paths at or below a field; undefined if they are unknown or too many. */
export function findExisting(
  name: KqlName,
  { existing }: Pick<FilterScope, "existing">,
): readonly number[] | undefined {
  return name.kind === "exact" ? existing.get(name.path)?.numbers : undefined;
}

/** Groups alternatives: the values of each field, which are compared together, and the others. */
export function groupAlternatives(items: readonly KqlNode[]) {
  const fields = new Map<string | undefined, KqlValue[]>();
  const others: KqlNode[] = [];
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

function listAlternatives(node: KqlNode): readonly KqlNode[] {
  return node.type === "or" ? node.items.flatMap(listAlternatives) : [node];
}

/** Lists the distinct keys of the scalars that equal one of the values; a pattern has none. */
export function listEqualKeys(values: readonly KqlValue[]): readonly LeafKey[] {
  const texts = values.flatMap((value) => toText(value) ?? []);
  return [...new Set(texts.flatMap((text) => toEqualKeys(parseEquality(text))))];
}

const KEY = sql`leaf.key`;
const TEXT = sql`coalesce(leaf.text, substr(leaf.key, 2))`;

/** True for leaves that equal or match one of the values. */
function equalsOneOf(values: readonly KqlValue[], dialect: Dialect): Condition {
  const keys = listEqualKeys(values);
  return anyOf([
    ...(keys.length > 0 ? [isOneOf(KEY, keys)] : []),
    ...values.flatMap((value) =>
      value.kind === "pattern" ? [dialect.matches(TEXT, value.parts.map(toStoredText))] : [],
    ),
  ]);
}

const OPERATORS: Readonly<Record<KqlRangeOperator, SqlText>> = {
  lt: sql`<`,
  lte: sql`<=`,
  gt: sql`>`,
  gte: sql`>=`,
};

/** True for leaves in a range, compared by the rules of their kind. */
function isInRange(
  operator: KqlRangeOperator,
  value: KqlValue,
  now: number | undefined,
): Condition {
  const compare = (column: SqlText, kind: string, limit: string) =>
    allOf([
      sql`${KEY} between ${kind} and ${nextKind(kind)}`,
      sql`${column} ${OPERATORS[operator]} ${limit}`,
    ]);
  const { number, text, instant } = KEY_KINDS;
  const bound = parseRangeBound(value, now);
  switch (bound.kind) {
    case "nothing":
      return NEVER;
    case "number":
      return compare(KEY, number, toNumberKey(bound.number));
    case "instant":
      return compare(KEY, instant, toInstantKey(bound.instant));
    case "text":
      return anyOf([
        compare(KEY, text, toTextKey(bound.text)),
        bound.instant === undefined
          ? compare(TEXT, instant, toStoredText(bound.text))
          : compare(KEY, instant, toInstantKey(bound.instant)),
      ]);
    default:
      return bound satisfies never;
  }
}

/** Returns the letter after the letter of a kind of keys: all keys of the kind lie between the two. */
export function nextKind(kind: string): string {
  return String.fromCharCode(kind.charCodeAt(0) + 1);
}
