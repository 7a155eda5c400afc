import type { JsonValue } from "@bufbuild/protobuf";
import {
  type ClockReading,
  flattenDocument,
  type KqlName,
  type KqlNode,
  type KqlValue,
  listClockReadings,
  matchKql,
  parseEquality,
  parseInstant,
  parseKql,
  type Scalar,
  toText,
} from "../kql/index.ts";
import { ALWAYS, type ClockWindow, findClockWindow, toMillis } from "./clock-window.ts";

/** Keys of which a matching document has at least one; see {@link toKey}. */
type KeyGroup = readonly string[];

/** A filter of a ruleset, parsed once for many documents. */
export interface PreparedFilter {
  readonly node: KqlNode;
  /** Every matching document has at least one key of each group. */
  readonly requiredKeys: readonly KeyGroup[];
  /** Its clock-dependent bounds; without any, its results never change. */
  readonly clockReadings: readonly ClockReading[];
}

/**
 * Prepares a filter of a ruleset. Returns undefined for blank text, which selects nothing here, unlike the
 * blank filter of a list. Throws like `parseKql`.
 */
export function prepareFilter(text: string): PreparedFilter | undefined {
  if (text.trim() === "") return undefined;
  const node = parseKql(text);
  return { node, requiredKeys: listRequiredKeys(node), clockReadings: listClockReadings(node) };
}

/**
 * A document indexed for many filters: most require a value of a field and are rejected by one look-up.
 */
export class FilterableDocument {
  readonly #json: JsonValue;
  #keys: ReadonlySet<string> | undefined;
  #instants: readonly number[] | undefined;

  constructor(json: JsonValue) {
    this.#json = json;
  }

  /** Every key that a filter may require; see {@link PreparedFilter.requiredKeys}. */
  get keys(): ReadonlySet<string> {
    this.#keys ??= collectKeys(this.#json);
    return this.#keys;
  }

  /** Reports whether the document matches the filter; `now` is in Unix milliseconds. */
  matches(filter: PreparedFilter, now: number): boolean {
    return this.#hasKeys(filter) && matchKql(filter.node, this.#json, now);
  }

  /** Returns a window around `now` in which the filter's result for the document stays the same. */
  findWindow(filter: PreparedFilter, now: number): ClockWindow {
    const { clockReadings } = filter;
    if (clockReadings.length === 0 || !this.#hasKeys(filter)) return ALWAYS;
    this.#instants ??= listInstants(this.#json);
    return findClockWindow(clockReadings, this.#instants, now);
  }

  #hasKeys({ requiredKeys }: PreparedFilter): boolean {
    const { keys } = this;
    return requiredKeys.every((group) => group.some((key) => keys.has(key)));
  }
}

/** Lists required keys; missing some costs only time, as {@link matchKql} decides. */
function listRequiredKeys(node: KqlNode): readonly KeyGroup[] {
  switch (node.type) {
    case "is":
      return readEqualityKeys(node.name, node.value);
    case "and":
      return node.items.flatMap(listRequiredKeys);
    case "or": {
      const alternatives = node.items.map((item) => listRequiredKeys(item)[0]);
      const known = alternatives.filter((group) => group !== undefined);
      return known.length === alternatives.length ? [known.flat()] : [];
    }
    case "all":
    case "not":
    case "exists":
    case "range":
    case "nested":
      return [];
    default:
      return node satisfies never;
  }
}

function readEqualityKeys(name: KqlName | null, value: KqlValue): readonly KeyGroup[] {
  const text = toText(value);
  if (name?.kind !== "exact" || text === undefined) return [];
  const { number, instant } = parseEquality(text);
  const keys = [toKey(name.path, text)];
  if (number !== undefined) keys.push(toKey(name.path, number));
  if (instant !== undefined) keys.push(toInstantKey(name.path, instant));
  return [keys];
}

function collectKeys(json: JsonValue): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { path, value } of flattenDocument(json).leaves) {
    keys.add(toKey(path, value));
    const instant = typeof value === "string" ? parseInstant(value) : undefined;
    if (instant !== undefined) keys.add(toInstantKey(path, instant));
  }
  return keys;
}

function listInstants(json: JsonValue): readonly number[] {
  const instants = new Set<number>();
  for (const { value } of flattenDocument(json).leaves) {
    const instant = typeof value === "string" ? parseInstant(value) : undefined;
    if (instant !== undefined) instants.add(toMillis(instant));
  }
  return [...instants];
}

/** Returns the key of a field's value: booleans compare by text, as in KQL, numbers by value. */
function toKey(path: string, value: Scalar): string {
  return typeof value === "number" ? `${path}\nnumber ${value}` : `${path}\ntext ${value}`;
}

function toInstantKey(path: string, instant: string): string {
  return `${path}\ninstant ${instant}`;
}
