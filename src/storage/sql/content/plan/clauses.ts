import type { WorkBudget } from "../../../../domain/base/work-budget.ts";
import type { ContentOrder } from "../../../../domain/content/order.ts";
import { findsLonger } from "../../../../domain/content/search.ts";
import {
  countNodes,
  type KqlNode,
  type KqlValue,
  parseInstant,
  parseRangeBound,
  toText,
} from "../../../../domain/kql/index.ts";
import {
  findTimeColumn,
  isIndexed,
  isSubtreeIndexed,
  type TimeColumn,
  VALUE_LENGTH,
} from "../../../content/indexed-fields.ts";
import {
  cutKey,
  KEY_KINDS,
  type LeafKey,
  nextAfterPrefix,
  toInstantKey,
  toNumberKey,
  toTextKey,
} from "../../../content/leaf-key.ts";
import type { ListPlace, SortKey } from "../../../content/places.ts";
import type { Db } from "../../../db/db.ts";
import { anyOf, type Condition, isOneOf, raw, sql } from "../../../db/sql-text.ts";
import {
  compileKql,
  type FilterScope,
  findCost,
  findExisting,
  groupAlternatives,
  listEqualKeys,
  nextKind,
  toPath,
} from "../filter/kql-filter.ts";
import { isLowerBound, isWithin, type TimeBounds, toTimeBounds } from "../filter/time-bounds.ts";
import {
  type IndexRange,
  isAtPath,
  type Partition,
  type PostingLists,
  probeRange,
  type RowRange,
} from "./index-ranges.ts";

/** A condition that every item of a list meets: a clause of the filter, or a word of the search. */
export interface Clause extends Access {
  /** Undefined for a word, and for a value that items have in common. */
  readonly node: KqlNode | undefined;
  /** True if the clause is tested on the document, because SQL cannot test it or only at a high cost. */
  readonly isInMemory: boolean;
  /** The number of items in its ranges, if counted; infinite before. */
  readonly count: number;
  /** The sort key of an entry some way ahead in its posting list; null if the list ends before. */
  readonly keyAhead: SortKey;
}

/** The index ranges of the items that meet a condition. */
interface Access {
  /** The ranges that together contain all these items; undefined if no index contains them. */
  readonly ranges: readonly IndexRange[] | undefined;
  /** True if the ranges contain no other item: testing the condition is unnecessary. */
  readonly isExact: boolean;
}

/** The costs of testing one item. */
export interface TestCosts {
  /** The number of nodes of the filter. */
  readonly nodes: number;
  /** The cost in SQL, by {@link findCost}. */
  readonly inSql: number;
  /** The total cost: 1 for a filter of a few clauses. */
  readonly item: number;
}

/** A list of one partition: its filter, its order and its plan. */
export interface PartitionList extends FilterScope, Partition {
  readonly db: Db;
  readonly filter: KqlNode | undefined;
  /** The words of a search. */
  readonly words: readonly string[];
  /** The filter and the words as conjoint clauses. */
  readonly clauses: readonly Clause[];
  readonly costs: TestCosts;
  /** Conditions in addition to the clauses, if the list is a {@link Section} of another. */
  readonly conditions: readonly Condition[];
  readonly order: ContentOrder;
  /** The field of the default order, which is the order of posting lists. */
  readonly postingField: string;
  /** The bounds that the filter sets on the time that the list is ordered by. */
  readonly bounds: TimeBounds | undefined;
  /** The largest items that the collection has or had, to size statements. */
  readonly largest: LargestItem;
  /** Maximum number of rows. */
  readonly limit: number;
  /** True if the rows have documents; they may have none if nothing else is read from these. */
  readonly withDocuments: boolean;
  readonly after: ListPlace | undefined;
  readonly budget: WorkBudget;
}

/** Reports whether the list has the order of posting lists. */
export function isPostingOrder({ order, postingField }: PartitionList): boolean {
  return order.field === postingField;
}

/** In an order by values, the items with the same value, or without one: a list in the rest of the order. */
export interface Section {
  readonly list: PartitionList;
  readonly value: string | null;
  /** The place after its last item; absent at the end of the order. */
  readonly end?: ListPlace;
}

/** The size of an item. */
export interface LargestItem {
  /** The number of its scalars. */
  readonly values: number;
  /** The characters of its JSON. */
  readonly characters: number;
}

/** The nodes of a filter that costs nothing extra. */
const CHEAP_NODES = 8;

/** The cost of testing an item for a word. */
const WORD_COST = 2;

/** Maximum number of ranges that a list counts: a statement has one subquery or three for each. */
const MOST_RANGES = 32;

/** The highest cost of testing an item in SQL; past it, reading and testing its document is cheaper. */
const HIGHEST_COST = 32;

/** Plans how to find and test the clauses of a list. */
export function planClauses(
  filter: KqlNode | undefined,
  words: readonly string[],
  scope: FilterScope,
): Pick<PartitionList, "clauses" | "costs"> {
  let [rangeCount, inSql] = [0, 0];
  const clauses = listConjuncts(filter).map((node): Clause => {
    const access = splitValue(node, findAccess(node, scope));
    const rangesOfClause = access.ranges?.length ?? 0;
    const isFound = rangeCount + rangesOfClause <= MOST_RANGES;
    if (isFound) rangeCount += rangesOfClause;
    const cost = findCost(node, scope) ?? Number.POSITIVE_INFINITY;
    const isInMemory = inSql + cost > HIGHEST_COST;
    if (!isInMemory) inSql += cost;
    return toClause(node, isFound ? access : NO_ACCESS, isInMemory);
  });
  for (const word of words) clauses.push(toClause(undefined, findWord(word), false));
  const nodes = filter === undefined ? 0 : countNodes(filter);
  const item = Math.max(1, nodes / CHEAP_NODES + words.length * WORD_COST);
  return { clauses, costs: { nodes, inSql, item } };
}

/** Returns the clause of the items that have a value at a path. */
export function toValueClause(path: string, value: string): Clause {
  const ranges: readonly IndexRange[] = [{ kind: "values", path, values: [value] }];
  return toClause(undefined, { ranges, isExact: true }, false);
}

function toClause(
  node: KqlNode | undefined,
  { ranges, isExact }: Access,
  isInMemory: boolean,
): Clause {
  const count = ranges?.length === 0 ? 0 : Number.POSITIVE_INFINITY;
  return { node, ranges, isExact, isInMemory, count, keyAhead: null };
}

const NO_ACCESS: Access = { ranges: undefined, isExact: false };
const NOTHING: Access = { ranges: [], isExact: true };

/**
 * Makes a range of each key that equals the value of a clause, such as a text and a number: usually only one occurs.
 */
function splitValue(node: KqlNode, access: Access): Access {
  const { ranges, isExact } = access;
  if (node.type !== "is" || ranges === undefined) return access;
  const split = ranges.flatMap((range): readonly IndexRange[] =>
    range.kind === "values" ? range.values.map((key) => ({ ...range, values: [key] })) : [range],
  );
  return { ranges: split, isExact };
}

/** Lists the clauses that all items of a filter meet. */
export function listConjuncts(filter: KqlNode | undefined): readonly KqlNode[] {
  if (filter === undefined || filter.type === "all") return [];
  return filter.type === "and" ? filter.items.flatMap(listConjuncts) : [filter];
}

/** Reports whether items that meet the clauses in SQL must be tested in memory, if one clause has found them. */
export function areTestedInMemory(clauses: readonly Clause[], finder: Clause | undefined): boolean {
  return clauses.some((clause) => clause.isInMemory && !(clause === finder && clause.isExact));
}

/** Lists the tests, in SQL, of the items in `source` that one of the clauses has found. */
export function listTests(
  clauses: readonly Clause[],
  finder: Clause | undefined,
  scope: FilterScope & Partition,
): readonly Condition[] {
  return clauses
    .filter((clause) => !clause.isInMemory && !(clause === finder && clause.isExact))
    .map((clause) => toTest(clause.node, clause, scope));
}

function toTest(
  node: KqlNode | undefined,
  { ranges, isExact }: Access,
  scope: FilterScope & Partition,
): Condition {
  const probes = isExact ? ranges?.map((range) => probeRange(range, scope)) : undefined;
  if (probes?.every((probe) => probe !== undefined)) return anyOf(probes);
  if (node === undefined) throw new Error("a word is looked up");
  if (node.type !== "not") return compileKql(node, scope);
  return sql`not ${toTest(node.item, findAccess(node.item, scope), scope)}`;
}

/** Characters that occur in no word, before and after all others. */
const [FIRST, LAST] = [" ", "\u{10ffff}"];

function findWord(word: string): Access {
  const end = word + (findsLonger(word) ? LAST : FIRST);
  return { ranges: [{ kind: "word", from: word, end }], isExact: true };
}

/** Finds the index ranges of a clause; `group` is the path of the enclosing group, with a dot. */
function findAccess(node: KqlNode, scope: FilterScope, group = ""): Access {
  switch (node.type) {
    case "is":
      return findEqual(toPath(node), [node.value], scope, group);
    case "range":
      return findCompared(node, scope, group);
    case "or": {
      const { fields, others } = groupAlternatives(node.items);
      return joinAccess([
        ...Array.from(fields, ([field, values]) => findEqual(field, values, scope, group)),
        ...others.map((item) => findAccess(item, scope, group)),
      ]);
    }
    case "and": {
      const accesses = node.items.map((item) => findAccess(item, scope, group));
      return toInexact(accesses.find(({ ranges }) => ranges !== undefined) ?? NO_ACCESS);
    }
    case "nested":
      return toInexact(findAccess(node.item, scope, `${group}${node.path}.`));
    case "exists": {
      const paths = group === "" ? findExisting(node.name, scope) : undefined;
      if (paths === undefined || node.name.kind !== "exact") return NO_ACCESS;
      if (paths.length === 0) return NOTHING;
      const { path } = node.name;
      if (!isSubtreeIndexed(path)) return NO_ACCESS;
      const range = toRange("content_value", [isOneOf(sql`source.path`, paths)]);
      const isAlone = scope.existing.get(path)?.hasNested === false;
      return {
        ranges: [isAlone ? { ...range, span: { path, from: "", to: LAST } } : range],
        isExact: true,
      };
    }
    case "all":
    case "not":
      return NO_ACCESS;
    default:
      return node satisfies never;
  }
}

function toInexact({ ranges }: Access): Access {
  return { ranges, isExact: false };
}

/** Unites the ranges of alternatives. */
function joinAccess(accesses: readonly Access[]): Access {
  const ranges: IndexRange[] = [];
  for (const access of accesses) {
    if (access.ranges === undefined) return NO_ACCESS;
    ranges.push(...access.ranges);
  }
  return { ranges, isExact: accesses.every(({ isExact }) => isExact) };
}

/** Finds the ranges of a field that equals one of some values. */
function findEqual(
  field: string | undefined,
  values: readonly KqlValue[],
  scope: FilterScope,
  group: string,
): Access {
  if (field === undefined) return NO_ACCESS;
  const path = group + field;
  const column = findTimeColumn(path);
  const texts = values.flatMap((value) => toText(value) ?? []);
  const patterns = values.flatMap((value) => (value.kind === "pattern" ? [value.parts] : []));
  if (patterns.length > 0 && !isIndexed(path)) return NO_ACCESS;
  if (path === "id") {
    if (texts.length === 0) return NOTHING;
    return { ranges: [toRange("content", [isOneOf(sql`source.id`, texts)])], isExact: true };
  }
  if (column !== undefined) {
    const instants = texts.flatMap((text) => parseInstant(text) ?? []);
    const ranges = instants.map((instant) => timeRange(column, toTimeBounds(instant, instant)));
    return { ranges, isExact: false };
  }
  if (!isIndexed(path)) return NO_ACCESS;
  const keys = listEqualKeys(values);
  const lists: PostingLists = { kind: "values", path, values: [...new Set(keys.map(cutKey))] };
  const isExact = keys.every((key) => key.length < VALUE_LENGTH);
  return joinAccess([
    { ranges: keys.length === 0 ? [] : [lists], isExact },
    ...patterns.map((parts) => findPrefix(path, parts, scope)),
  ]);
}

/** Finds the range of a prefix that only texts can have: no number, boolean or timestamp begins so. */
function findPrefix(
  path: string,
  [start = "", ...others]: readonly string[],
  scope: FilterScope,
): Access {
  const isPrefix = others.length === 1 && others[0] === "";
  if (!isPrefix || /^(?:$|[-\d]|t|f)/.test(start)) return NO_ACCESS;
  const from = toTextKey(start);
  const end = nextAfterPrefix(from);
  if (end === undefined || from.length >= VALUE_LENGTH) return NO_ACCESS;
  return { ranges: [pathRange(path, [from, end], scope)], isExact: false };
}

/** Finds the ranges of a comparison; a comparison of plain texts has none. */
function findCompared(
  node: Extract<KqlNode, { type: "range" }>,
  scope: FilterScope,
  group: string,
): Access {
  const field = toPath(node);
  if (field === undefined) return NO_ACCESS;
  const path = group + field;
  const column = findTimeColumn(path);
  const bound = parseRangeBound(node.value, scope.now);
  const isLower = isLowerBound(node.operator);
  if (column !== undefined) {
    if (!("instant" in bound)) return NO_ACCESS;
    const [from, to] = isLower ? [bound.instant, undefined] : [undefined, bound.instant];
    return { ranges: [timeRange(column, toTimeBounds(from, to))], isExact: false };
  }
  if (!isIndexed(path)) return NO_ACCESS;
  const compare = (kind: string, key: LeafKey) =>
    pathRange(path, isLower ? [cutKey(key), nextKind(kind)] : [kind, cutKey(key)], scope);
  const { number, text, instant } = KEY_KINDS;
  switch (bound.kind) {
    case "nothing":
      return NOTHING;
    case "number":
      return { ranges: [compare(number, toNumberKey(bound.number))], isExact: false };
    case "instant":
      return { ranges: [compare(instant, toInstantKey(bound.instant))], isExact: false };
    case "text": {
      if (bound.instant === undefined) return NO_ACCESS;
      const keys = [
        compare(instant, toInstantKey(bound.instant)),
        compare(text, toTextKey(bound.text)),
      ];
      return { ranges: keys, isExact: false };
    }
    default:
      return bound satisfies never;
  }
}

/** Returns the items with a time within bounds. */
function timeRange(column: TimeColumn, bounds: TimeBounds): RowRange {
  return toRange("content", isWithin(raw(`source.${column}`), bounds));
}

/** Returns the values of a path between two, both inclusive. */
function pathRange(
  path: string,
  [from, to]: readonly [string, string],
  { collection }: FilterScope,
): RowRange {
  const within = sql`source.value between ${from} and ${to}`;
  return {
    ...toRange("content_value", [isAtPath(path, collection), within]),
    span: { path, from, to },
  };
}

function toRange(table: RowRange["table"], conditions: readonly Condition[]): RowRange {
  return { kind: "rows", table, conditions };
}
