import {
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
import { findTimeColumn, isInValues, isWhollyInValues, VALUE_LENGTH } from "../content-values.ts";
import {
  KEY_KINDS,
  type LeafKey,
  toEqualKeys,
  toInstantKey,
  toNumberKey,
  toTextKey,
} from "../filter/leaf-key.ts";
import { nextAfterPrefix } from "../filter/stored-text.ts";
import { type KeyBounds, toKeyBounds } from "./key-bounds.ts";
import type { TimeColumn } from "./order-runs.ts";

/** Where items are found that have one of some values, or one of a range, both ends included. */
export type Seek =
  /** In the table of values. */
  | { readonly kind: "values"; readonly path: string; readonly values: readonly LeafKey[] }
  | {
      readonly kind: "range";
      readonly path: string;
      readonly from: LeafKey;
      readonly to: LeafKey;
    }
  /** Any value, at the path or below it. */
  | { readonly kind: "path"; readonly path: string }
  /** In the columns of content; times in microseconds. */
  | { readonly kind: "ids"; readonly ids: readonly string[] }
  | { readonly kind: "times"; readonly column: TimeColumn; readonly bounds: KeyBounds }
  /** In the full-text search. */
  | { readonly kind: "words" };

/** The seeks that together find every item that meets a clause. */
export interface Driver {
  /** Absent for the search. */
  readonly clause?: KqlNode;
  readonly seeks: readonly Seek[];
  /** Whether the seeks find nothing else, so that the clause need not be tried. */
  readonly isExact: boolean;
}

/** A filter as clauses that all hold: those that seeks can find, and the rest. */
export interface FilterParts {
  readonly drivers: readonly Driver[];
  readonly rest: readonly KqlNode[];
}

/** Finds the clauses of a filter by which items can be found; `now` is in Unix milliseconds. */
export function splitFilter(filter: KqlNode | undefined, now: number): FilterParts {
  const drivers: Driver[] = [];
  const rest: KqlNode[] = [];
  for (const clause of listClauses(filter)) {
    const found = findSeeks(clause, "", now);
    if (found === undefined) rest.push(clause);
    else drivers.push({ clause, ...found });
  }
  return { drivers, rest };
}

/** Lists the clauses of a filter that all have to hold. */
export function listClauses(filter: KqlNode | undefined): readonly KqlNode[] {
  if (filter === undefined || filter.type === "all") return [];
  return filter.type === "and" ? filter.items.flatMap(listClauses) : [filter];
}

/** Seeks for everything that a clause takes; exact ones find nothing else. */
export interface Found {
  readonly seeks: readonly Seek[];
  readonly isExact: boolean;
}

/** Finds the seeks of a clause; undefined where only trying each item tells. */
export function findSeeks(node: KqlNode, prefix: string, now: number): Found | undefined {
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
      return joinFound(node.items.map((item) => findSeeks(item, prefix, now)));
    case "and": {
      const found = node.items.map((item) => findSeeks(item, prefix, now));
      return toInexact(found.find((it) => it !== undefined));
    }
    case "nested":
      return toInexact(findSeeks(node.item, `${prefix}${node.path}.`, now));
    case "exists": {
      const path = toPath(node.name, prefix);
      if (path === undefined || !isWhollyInValues(path)) return undefined;
      return { seeks: [{ kind: "path", path }], isExact: true };
    }
    case "all":
    case "not":
      return undefined;
    default:
      return node satisfies never;
  }
}

/** The whole path of a clause's field; undefined where it names several or any. */
function toPath(name: KqlName | null, prefix: string): string | undefined {
  return name?.kind === "exact" ? prefix + name.path : undefined;
}

function toInexact(found: Found | undefined): Found | undefined {
  return found && { ...found, isExact: false };
}

function findEqual(path: string, value: KqlValue): Found | undefined {
  if (value.kind === "pattern") return findPrefix(path, value.parts);
  const text = toText(value);
  if (text === undefined) return undefined;
  if (path === "id") return { seeks: [{ kind: "ids", ids: [text] }], isExact: true };
  const column = findTimeColumn(path);
  if (column !== undefined) {
    const instant = parseInstant(text);
    const seeks = instant === undefined ? [] : [toTimes(column, instant, instant)];
    return { seeks, isExact: false };
  }
  if (!isInValues(path)) return undefined;
  const keys = toEqualKeys(parseEquality(text));
  return {
    seeks: keys.map((key) => ({ kind: "values", path, values: [cutKey(key)] })),
    isExact: keys.every((key) => key.length < VALUE_LENGTH),
  };
}

/** Finds texts by how they begin, where nothing but a text can begin so. */
function findPrefix(path: string, [start = "", ...others]: readonly string[]): Found | undefined {
  const isPrefix = others.length === 1 && others[0] === "";
  if (!isPrefix || !isInValues(path) || /^(?:$|[-\d]|t|f)/.test(start)) return undefined;
  const from = toTextKey(start);
  const end = nextAfterPrefix(from);
  if (end === undefined || from.length >= VALUE_LENGTH) return undefined;
  return { seeks: [{ kind: "range", path, from, to: end }], isExact: false };
}

/** Puts the values of one path together, and the ids. */
function joinFound(found: readonly (Found | undefined)[]): Found | undefined {
  const values = new Map<string, Set<LeafKey>>();
  const ids = new Set<string>();
  const seeks: Seek[] = [];
  let isExact = true;
  for (const alternative of found) {
    if (alternative === undefined) return undefined;
    isExact &&= alternative.isExact;
    for (const seek of alternative.seeks) {
      if (seek.kind === "values") {
        const known = values.get(seek.path) ?? new Set();
        for (const value of seek.values) known.add(value);
        values.set(seek.path, known);
      } else if (seek.kind === "ids") {
        for (const id of seek.ids) ids.add(id);
      } else {
        seeks.push(seek);
      }
    }
  }
  for (const [path, keys] of values) seeks.push({ kind: "values", path, values: [...keys] });
  if (ids.size > 0) seeks.push({ kind: "ids", ids: [...ids] });
  return { seeks, isExact };
}

/** Finds the seeks of a range; over texts alone there are none. Both ends are inclusive. */
function findRange(
  path: string,
  operator: KqlRangeOperator,
  value: KqlValue,
  now: number,
): Found | undefined {
  const bound = parseRangeBound(value, now);
  const isLower = operator === "gt" || operator === "gte";
  const column = findTimeColumn(path);
  if (column !== undefined) {
    const instant = bound.kind === "instant" || bound.kind === "text" ? bound.instant : undefined;
    if (instant === undefined) return undefined;
    const [from, to] = isLower ? [instant, undefined] : [undefined, instant];
    return { seeks: [toTimes(column, from, to)], isExact: false };
  }
  if (!isInValues(path)) return undefined;
  const within = (kind: string, limit: LeafKey): Seek => {
    const end = String.fromCharCode(kind.charCodeAt(0) + 1);
    return { kind: "range", path, from: isLower ? limit : kind, to: isLower ? end : limit };
  };
  switch (bound.kind) {
    case "nothing":
      return { seeks: [], isExact: true };
    case "number":
      return { seeks: [within(KEY_KINDS.number, toNumberKey(bound.number))], isExact: false };
    case "instant":
      return { seeks: [within(KEY_KINDS.instant, toInstantKey(bound.instant))], isExact: false };
    case "text":
      if (bound.instant === undefined) return undefined;
      return {
        seeks: [
          within(KEY_KINDS.instant, toInstantKey(bound.instant)),
          within(KEY_KINDS.text, cutKey(toTextKey(bound.text))),
        ],
        isExact: false,
      };
    default:
      return bound satisfies never;
  }
}

function toTimes(column: TimeColumn, from: Instant | undefined, to: Instant | undefined): Seek {
  return { kind: "times", column, bounds: toKeyBounds(from, to) };
}

/** Cuts a key as the table of values does: by characters and not by UTF-16 units. */
function cutKey(key: LeafKey): LeafKey {
  return key.length < VALUE_LENGTH ? key : Array.from(key).slice(0, VALUE_LENGTH).join("");
}
