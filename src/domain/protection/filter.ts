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

/** Keys of which a document has to have one, see {@link toKey}. */
type KeyGroup = readonly string[];

/** A filter of a ruleset, parsed once for many documents. */
export interface PreparedFilter {
  readonly node: KqlNode;
  /** Of each of these groups at least one is among the keys of every document that matches. */
  readonly neededKeys: readonly KeyGroup[];
  /** Every way in which it reads the clock; none: its answers never change. */
  readonly clockReadings: readonly ClockReading[];
}

/**
 * Prepares a filter that was checked when it was written. Undefined for blank text, which selects
 * nothing here, whereas a blank filter of a list leaves everything in. Throws like `parseKql`.
 */
export function prepareFilter(text: string): PreparedFilter | undefined {
  if (text.trim() === "") return undefined;
  const node = parseKql(text);
  return { node, neededKeys: readNeededKeys(node), clockReadings: listClockReadings(node) };
}

/**
 * A document for many filters: most ask for a value of a field and are answered by one look-up,
 * without walking the document.
 */
export class FilterableDocument {
  readonly #json: JsonValue;
  #keys: ReadonlySet<string> | undefined;
  #instants: readonly number[] | undefined;

  constructor(json: JsonValue) {
    this.#json = json;
  }

  /** Every key that a filter may need; see {@link PreparedFilter.neededKeys}. */
  get keys(): ReadonlySet<string> {
    this.#keys ??= collectKeys(this.#json);
    return this.#keys;
  }

  /** Tells whether the document satisfies the filter; `now` is in Unix milliseconds. */
  matches(filter: PreparedFilter, now: number): boolean {
    return this.#hasKeys(filter) && matchKql(filter.node, this.#json, now);
  }

  /** Finds a window around `now` in which the filter's answer for the document stays the same. */
  findWindow(filter: PreparedFilter, now: number): ClockWindow {
    const { clockReadings } = filter;
    if (clockReadings.length === 0 || !this.#hasKeys(filter)) return ALWAYS;
    this.#instants ??= listInstants(this.#json);
    return findClockWindow(clockReadings, this.#instants, now);
  }

  #hasKeys({ neededKeys }: PreparedFilter): boolean {
    const { keys } = this;
    return neededKeys.every((group) => group.some((key) => keys.has(key)));
  }
}

/** What it leaves out costs time and nothing else: {@link matchKql} has the last word. */
function readNeededKeys(node: KqlNode): readonly KeyGroup[] {
  switch (node.type) {
    case "is":
      return readEqualityKeys(node.name, node.value);
    case "and":
      return node.items.flatMap(readNeededKeys);
    case "or": {
      const alternatives = node.items.map((item) => readNeededKeys(item)[0]);
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

/** Booleans equal by their text, as in KQL; numbers by their value. */
function toKey(path: string, value: Scalar): string {
  return typeof value === "number" ? `${path}\nnumber ${value}` : `${path}\ntext ${value}`;
}

function toInstantKey(path: string, instant: string): string {
  return `${path}\ninstant ${instant}`;
}
