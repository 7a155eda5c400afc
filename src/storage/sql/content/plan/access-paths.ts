import {
  type FieldName,
  type FilterForm,
  isLowerBound,
  type PrefixForm,
  type RangeForm,
  type ValueForm,
  type WordForm,
} from "../filter/filter-form.ts";
import type { Bound } from "../filter/form-values.ts";
import { findCost } from "../filter/kql-filter.ts";
import { KEY_KINDS } from "../filter/leaf-key.ts";
import { findTimeColumn, isIndexed, isSubtreeIndexed } from "../indexed-fields.ts";
import type { IndexRange } from "./index-ranges.ts";

/** The ranges that together hold every item that meets a clause. */
export interface ClauseRanges {
  readonly ranges: readonly IndexRange[];
  /** True if they hold no other item, so that the clause need not be tested. */
  readonly isExact: boolean;
}

/** A way to the items that meet one clause of a filter, or have one word of the search. */
export interface AccessPath extends ClauseRanges {
  /** Absent for a word. */
  readonly clause?: FilterForm;
}

/** A filter and the words of a search as conjoint clauses. */
export interface FilterPlan {
  /** The clauses that an index can answer. */
  readonly accessPaths: readonly AccessPath[];
  /** The other clauses that SQL tests item by item. */
  readonly residual: readonly FilterForm[];
  /** The clauses that are tested in memory: those that SQL cannot test, or only at a high cost. */
  readonly inMemory: ReadonlySet<FilterForm>;
  /** The number of nodes of the filter. */
  readonly nodes: number;
  /** The cost of testing an item in SQL, by {@link findCost}. */
  readonly testCost: number;
  /** The cost of testing an item: 1 for a filter of a few clauses. */
  readonly itemCost: number;
}

/** The nodes of a filter that costs nothing extra. */
const CHEAP_NODES = 8;

/** The cost of testing an item for a word. */
const WORD_COST = 2;

/** The most ranges that a list counts: a statement has a subquery or three for each. */
const MOST_RANGES = 32;

/** The highest cost of testing an item in SQL; to read its document and test that is cheaper. */
const HIGHEST_COST = 32;

/** Splits a filter into access paths and residual clauses. */
export function planFilter(filter: FilterForm | undefined, words: readonly WordForm[]): FilterPlan {
  const accessPaths: AccessPath[] = [];
  const residual: FilterForm[] = [];
  const inMemory = new Set<FilterForm>();
  let [rangeCount, testCost] = [0, 0];
  for (const clause of listClauses(filter)) {
    const found = findRanges(clause, "");
    const isPath = found !== undefined && rangeCount + found.ranges.length <= MOST_RANGES;
    if (isPath) {
      accessPaths.push({ clause, ...found });
      rangeCount += found.ranges.length;
    }
    const cost = findCost(clause);
    if (cost === undefined || testCost + cost > HIGHEST_COST) {
      inMemory.add(clause);
    } else {
      testCost += cost;
      if (!isPath) residual.push(clause);
    }
  }
  for (const word of words) {
    accessPaths.push({ ranges: [{ kind: "word", ...word }], isExact: true });
  }
  const nodes = filter === undefined ? 0 : countNodes(filter);
  const itemCost = Math.max(1, nodes / CHEAP_NODES + words.length * WORD_COST);
  return { accessPaths, residual, inMemory, nodes, testCost, itemCost };
}

/** Reports whether the items that a path finds and SQL has tested are to be tested in memory. */
export function isTestedInMemory(
  { inMemory }: FilterPlan,
  chosen: AccessPath | undefined,
): boolean {
  const isFound = chosen?.isExact && chosen.clause !== undefined && inMemory.has(chosen.clause);
  return inMemory.size > (isFound ? 1 : 0);
}

function listClauses(filter: FilterForm | undefined): readonly FilterForm[] {
  if (filter === undefined || filter.type === "all") return [];
  return filter.type === "and" ? filter.items.flatMap(listClauses) : [filter];
}

function countNodes(node: FilterForm): number {
  if (node.type === "and" || node.type === "or") {
    return node.items.reduce((sum, item) => sum + countNodes(item), 1);
  }
  return node.type === "not" || node.type === "nested" ? 1 + countNodes(node.item) : 1;
}

/** Finds the index ranges of a clause; undefined where no index can answer it. */
export function findRanges(node: FilterForm, prefix: string): ClauseRanges | undefined {
  switch (node.type) {
    case "is": {
      const path = toPath(node.name, prefix);
      return path === undefined ? undefined : findEqual(path, node.value);
    }
    case "range": {
      const path = toPath(node.name, prefix);
      const isLower = isLowerBound(node.operator);
      return path === undefined ? undefined : findRange(path, isLower, node.bound);
    }
    case "or":
      return joinFound(node.items.map((item) => findRanges(item, prefix)));
    case "and": {
      const found = node.items.map((item) => findRanges(item, prefix));
      return toInexact(found.find((it) => it !== undefined));
    }
    case "nested":
      return toInexact(findRanges(node.item, `${prefix}${node.path}.`));
    case "exists": {
      const path = toPath(node.name, prefix);
      const { paths } = node;
      if (path === undefined || paths === undefined) return undefined;
      if (paths.length === 0) return { ranges: [], isExact: true };
      if (!isSubtreeIndexed(path)) return undefined;
      return { ranges: [{ kind: "paths", paths }], isExact: true };
    }
    case "all":
    case "not":
      return undefined;
    default:
      return node satisfies never;
  }
}

/** Returns the full path of a clause's field; undefined where the name is a pattern or absent. */
function toPath(name: FieldName | null, prefix: string): string | undefined {
  return name?.kind === "exact" ? prefix + name.path : undefined;
}

function toInexact(found: ClauseRanges | undefined): ClauseRanges | undefined {
  return found && { ...found, isExact: false };
}

function findEqual(path: string, value: ValueForm): ClauseRanges | undefined {
  switch (value.kind) {
    case "nothing":
      return undefined;
    case "pattern":
      return findPrefix(path, value.prefix);
    case "equal": {
      const { text, keys, bounds } = value;
      if (path === "id") return { ranges: [{ kind: "ids", ids: [text] }], isExact: true };
      const column = findTimeColumn(path);
      if (column !== undefined) {
        return { ranges: bounds ? [{ kind: "times", column, bounds }] : [], isExact: false };
      }
      if (!isIndexed(path)) return undefined;
      return {
        ranges: keys.map(({ key, cut = key }) => ({ kind: "values", path, values: [cut] })),
        isExact: keys.every(({ cut }) => cut === undefined),
      };
    }
    default:
      return value satisfies never;
  }
}

function findPrefix(path: string, prefix: PrefixForm | undefined): ClauseRanges | undefined {
  if (prefix === undefined || !isIndexed(path)) return undefined;
  return { ranges: [{ kind: "range", path, ...prefix }], isExact: false };
}

/** Unites the ranges of alternatives: one range for the values of a path, one for all ids. */
function joinFound(found: readonly (ClauseRanges | undefined)[]): ClauseRanges | undefined {
  const values = new Map<string, Set<Bound>>();
  const ids = new Set<Bound>();
  const ranges: IndexRange[] = [];
  let isExact = true;
  for (const alternative of found) {
    if (alternative === undefined) return undefined;
    isExact &&= alternative.isExact;
    for (const range of alternative.ranges) {
      if (range.kind === "values") {
        const known = values.get(range.path) ?? new Set();
        for (const value of range.values) known.add(value);
        values.set(range.path, known);
      } else if (range.kind === "ids") {
        for (const id of range.ids) ids.add(id);
      } else {
        ranges.push(range);
      }
    }
  }
  for (const [path, keys] of values) ranges.push({ kind: "values", path, values: [...keys] });
  if (ids.size > 0) ranges.push({ kind: "ids", ids: [...ids] });
  return { ranges, isExact };
}

/** Finds the ranges of a comparison; a comparison of plain texts has none. */
function findRange(path: string, isLower: boolean, bound: RangeForm): ClauseRanges | undefined {
  const column = findTimeColumn(path);
  if (column !== undefined) {
    const instant = bound.kind === "text" ? bound.instant : bound;
    const bounds = instant && "bounds" in instant ? instant.bounds : undefined;
    return bounds && { ranges: [{ kind: "times", column, bounds }], isExact: false };
  }
  if (!isIndexed(path)) return undefined;
  const within = (kind: string, limit: Bound): IndexRange => {
    const end = String.fromCharCode(kind.charCodeAt(0) + 1);
    return { kind: "range", path, from: isLower ? limit : kind, to: isLower ? end : limit };
  };
  switch (bound.kind) {
    case "nothing":
      return { ranges: [], isExact: true };
    case "number":
      return { ranges: [within(KEY_KINDS.number, bound.key)], isExact: false };
    case "instant":
      return { ranges: [within(KEY_KINDS.instant, bound.key)], isExact: false };
    case "text": {
      const { instant, key } = bound;
      if (instant === undefined) return undefined;
      return {
        ranges: [
          within(KEY_KINDS.instant, instant.key),
          within(KEY_KINDS.text, key.cut ?? key.key),
        ],
        isExact: false,
      };
    }
    default:
      return bound satisfies never;
  }
}
