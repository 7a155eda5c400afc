import type { ContentOrder } from "../../../../domain/content/order.ts";
import {
  countNodes,
  type Instant,
  type KqlName,
  type KqlNode,
  type KqlRangeOperator,
  type KqlValue,
  parseEquality,
  parseInstant,
  parseRangeBound,
  toText,
} from "../../../../domain/kql/index.ts";
import {
  KEY_KINDS,
  type LeafKey,
  toEqualKeys,
  toInstantKey,
  toNumberKey,
  toTextKey,
} from "../filter/leaf-key.ts";
import { nextAfterPrefix } from "../filter/stored-text.ts";
import {
  findTimeColumn,
  isIndexed,
  isSubtreeIndexed,
  type TimeColumn,
  VALUE_LENGTH,
} from "../indexed-fields.ts";
import type { IndexRange } from "./index-ranges.ts";
import { findTimeBounds, type TimeBounds, toTimeBounds } from "./time-bounds.ts";

/** The ranges that together hold every item that meets a clause. */
export interface ClauseRanges {
  readonly ranges: readonly IndexRange[];
  /** True if they hold no other item, so that the clause need not be tested. */
  readonly isExact: boolean;
}

/** A way to the items that meet one clause of a filter, or the search. */
export interface AccessPath extends ClauseRanges {
  /** Absent for the search. */
  readonly clause?: KqlNode;
}

/** A filter and a search as conjoint clauses. */
export interface FilterPlan {
  /** The clauses that an index can answer. */
  readonly accessPaths: readonly AccessPath[];
  /** The clauses that are tested item by item. */
  readonly residual: readonly KqlNode[];
  /** The bounds that the clauses set to the time that the list is ordered by. */
  readonly bounds: TimeBounds | undefined;
  /** The cost of testing an item: 1 for a filter of a few clauses. */
  readonly itemCost: number;
}

/** Options of a filter plan. */
export interface PlanOptions {
  /** A query of the full-text index. */
  readonly search: string | undefined;
  readonly order: ContentOrder;
  /** Unix milliseconds. */
  readonly now: number;
}

/** The nodes of a filter that costs nothing extra. */
const CHEAP_NODES = 8;

/** Splits a filter into access paths and residual clauses. */
export function planFilter(
  filter: KqlNode | undefined,
  { search, order, now }: PlanOptions,
): FilterPlan {
  const clauses = listClauses(filter);
  const accessPaths: AccessPath[] = [];
  const residual: KqlNode[] = [];
  for (const clause of clauses) {
    const found = findRanges(clause, "", now);
    if (found === undefined) residual.push(clause);
    else accessPaths.push({ clause, ...found });
  }
  if (search !== undefined) {
    accessPaths.push({ ranges: [{ kind: "words", match: search }], isExact: true });
  }
  const nodes = filter === undefined ? 0 : countNodes(filter);
  return {
    accessPaths,
    residual,
    bounds: findTimeBounds(clauses, order.field, now),
    itemCost: Math.max(1, nodes / CHEAP_NODES),
  };
}

function listClauses(filter: KqlNode | undefined): readonly KqlNode[] {
  if (filter === undefined || filter.type === "all") return [];
  return filter.type === "and" ? filter.items.flatMap(listClauses) : [filter];
}

/** Finds the index ranges of a clause; undefined where no index can answer it. */
export function findRanges(node: KqlNode, prefix: string, now: number): ClauseRanges | undefined {
  switch (node.type) {
    case "is": {
      const path = toPath(node.name, prefix);
      return path === undefined ? undefined : findEqual(path, node.value);
    }
    case "range": {
      const path = toPath(node.name, prefix);
      return path === undefined ? undefined : findRange(path, node.operator, node.value, now);
    }
    case "or":
      return joinFound(node.items.map((item) => findRanges(item, prefix, now)));
    case "and": {
      const found = node.items.map((item) => findRanges(item, prefix, now));
      return toInexact(found.find((it) => it !== undefined));
    }
    case "nested":
      return toInexact(findRanges(node.item, `${prefix}${node.path}.`, now));
    case "exists": {
      const path = toPath(node.name, prefix);
      if (path === undefined || !isSubtreeIndexed(path)) return undefined;
      return { ranges: [{ kind: "path", path }], isExact: true };
    }
    case "all":
    case "not":
      return undefined;
    default:
      return node satisfies never;
  }
}

/** Returns the full path of a clause's field; undefined where the name is a pattern or absent. */
function toPath(name: KqlName | null, prefix: string): string | undefined {
  return name?.kind === "exact" ? prefix + name.path : undefined;
}

function toInexact(found: ClauseRanges | undefined): ClauseRanges | undefined {
  return found && { ...found, isExact: false };
}

function findEqual(path: string, value: KqlValue): ClauseRanges | undefined {
  if (value.kind === "pattern") return findPrefix(path, value.parts);
  const text = toText(value);
  if (text === undefined) return undefined;
  if (path === "id") return { ranges: [{ kind: "ids", ids: [text] }], isExact: true };
  const column = findTimeColumn(path);
  if (column !== undefined) {
    const instant = parseInstant(text);
    const ranges = instant === undefined ? [] : [toTimes(column, instant, instant)];
    return { ranges, isExact: false };
  }
  if (!isIndexed(path)) return undefined;
  const keys = toEqualKeys(parseEquality(text));
  return {
    ranges: keys.map((key) => ({ kind: "values", path, values: [cutKey(key)] })),
    isExact: keys.every((key) => key.length < VALUE_LENGTH),
  };
}

/** Finds the range of a prefix that only texts can have: no number, boolean or timestamp begins so. */
function findPrefix(
  path: string,
  [start = "", ...others]: readonly string[],
): ClauseRanges | undefined {
  const isPrefix = others.length === 1 && others[0] === "";
  if (!isPrefix || !isIndexed(path) || /^(?:$|[-\d]|t|f)/.test(start)) return undefined;
  const from = toTextKey(start);
  const end = nextAfterPrefix(from);
  if (end === undefined || from.length >= VALUE_LENGTH) return undefined;
  return { ranges: [{ kind: "range", path, from, to: end }], isExact: false };
}

/** Unites the ranges of alternatives: one range for the values of a path, one for all ids. */
function joinFound(found: readonly (ClauseRanges | undefined)[]): ClauseRanges | undefined {
  const values = new Map<string, Set<LeafKey>>();
  const ids = new Set<string>();
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
function findRange(
  path: string,
  operator: KqlRangeOperator,
  value: KqlValue,
  now: number,
): ClauseRanges | undefined {
  const bound = parseRangeBound(value, now);
  const isLower = operator === "gt" || operator === "gte";
  const column = findTimeColumn(path);
  if (column !== undefined) {
    const instant = bound.kind === "instant" || bound.kind === "text" ? bound.instant : undefined;
    if (instant === undefined) return undefined;
    const [from, to] = isLower ? [instant, undefined] : [undefined, instant];
    return { ranges: [toTimes(column, from, to)], isExact: false };
  }
  if (!isIndexed(path)) return undefined;
  const within = (kind: string, limit: LeafKey): IndexRange => {
    const end = String.fromCharCode(kind.charCodeAt(0) + 1);
    return { kind: "range", path, from: isLower ? limit : kind, to: isLower ? end : limit };
  };
  switch (bound.kind) {
    case "nothing":
      return { ranges: [], isExact: true };
    case "number":
      return { ranges: [within(KEY_KINDS.number, toNumberKey(bound.number))], isExact: false };
    case "instant":
      return { ranges: [within(KEY_KINDS.instant, toInstantKey(bound.instant))], isExact: false };
    case "text":
      if (bound.instant === undefined) return undefined;
      return {
        ranges: [
          within(KEY_KINDS.instant, toInstantKey(bound.instant)),
          within(KEY_KINDS.text, cutKey(toTextKey(bound.text))),
        ],
        isExact: false,
      };
    default:
      return bound satisfies never;
  }
}

function toTimes(
  column: TimeColumn,
  from: Instant | undefined,
  to: Instant | undefined,
): IndexRange {
  return { kind: "times", column, bounds: toTimeBounds(from, to) };
}

/** Cuts a key as SQL cuts it for `content_value`: by characters, not by UTF-16 units. */
function cutKey(key: LeafKey): LeafKey {
  return key.length < VALUE_LENGTH ? key : Array.from(key).slice(0, VALUE_LENGTH).join("");
}
