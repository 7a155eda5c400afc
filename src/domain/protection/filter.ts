import type { JsonValue } from "@bufbuild/protobuf";
import { ALWAYS, type Period } from "../base/time.ts";
import {
  type ClockReading,
  createKqlTest,
  KqlDocument,
  type KqlName,
  type KqlNode,
  type KqlTest,
  type KqlValue,
  listClauses,
  listClockReadings,
  parseEquality,
  parseInstant,
  parseStoredKql,
  type Scalar,
  toText,
} from "../kql/index.ts";
import { findClockWindow, toMillis } from "../kql/instant.ts";

/** A group of keys; a matching document has at least one of them. See {@link toKey}. */
type KeyGroup = readonly string[];

/** A filter of a ruleset, parsed once for many documents. */
export interface PreparedFilter {
  readonly node: KqlNode;
  /** Every matching document has at least one key of each group. */
  readonly requiredKeys: readonly KeyGroup[];
  /** The fields of the required keys, and maybe others. */
  readonly fields: readonly string[];
  /** Its clock-dependent bounds; without any, its results never change. */
  readonly clockReadings: readonly ClockReading[];
  /** Returns the compiled filter at a time, in Unix milliseconds. */
  readonly testAt: (now: number) => KqlTest;
}

/**
 * Prepares a filter of a ruleset. Returns undefined for blank text, which selects nothing here, unlike the
 * blank filter of a list. Throws like `parseKql`.
 */
export function prepareFilter(text: string): PreparedFilter | undefined {
  if (text.trim() === "") return undefined;
  const node = parseStoredKql(text);
  let compiled: { readonly now: number; readonly test: KqlTest } | undefined;
  return {
    node,
    requiredKeys: listRequiredKeys(node),
    fields: listClauses(node).flatMap((it) =>
      it.type === "is" && it.name?.kind === "exact" ? it.name.path : [],
    ),
    clockReadings: listClockReadings(node),
    testAt(now) {
      if (compiled?.now !== now) compiled = { now, test: createKqlTest(node, now) };
      return compiled.test;
    },
  };
}

/**
 * A document indexed for many filters: most require a value of a field and are rejected by one lookup.
 */
export class FilterableDocument {
  readonly #document: KqlDocument;
  readonly #fields: ReadonlySet<string> | undefined;
  #keys: ReadonlySet<string> | undefined;
  #instants: readonly number[] | undefined;
  /** The results of filters, each at its last time: the same content may show many videos. */
  readonly #results = new Map<PreparedFilter, { readonly now: number; readonly holds: boolean }>();

  /** `fields` are the fields of the filters; absent: any. */
  constructor(json: JsonValue, fields?: ReadonlySet<string>) {
    this.#document = new KqlDocument(json);
    this.#fields = fields;
  }

  /** Every key of the fields that a filter may require; see {@link PreparedFilter.requiredKeys}. */
  get keys(): ReadonlySet<string> {
    this.#keys ??= collectKeys(this.#document, this.#fields);
    return this.#keys;
  }

  /** Reports whether the document matches the filter; `now` is in Unix milliseconds. */
  matches(filter: PreparedFilter, now: number): boolean {
    if (!this.#hasKeys(filter)) return false;
    const known = this.#results.get(filter);
    if (known?.now === now) return known.holds;
    const holds = filter.testAt(now)(this.#document);
    this.#results.set(filter, { now, holds });
    return holds;
  }

  /** Returns a window around `now`; inside it, the filter's result for the document stays the same. */
  findWindow(filter: PreparedFilter, now: number): Period {
    const { clockReadings } = filter;
    if (clockReadings.length === 0 || !this.#hasKeys(filter)) return ALWAYS;
    this.#instants ??= listInstants(this.#document);
    return findClockWindow(clockReadings, this.#instants, now);
  }

  #hasKeys({ requiredKeys }: PreparedFilter): boolean {
    if (requiredKeys.length === 0) return true;
    const { keys } = this;
    return requiredKeys.every((group) => group.some((key) => keys.has(key)));
  }
}

/** Lists required keys; missing some costs only time, because the filter decides. */
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

function collectKeys(
  { leaves }: KqlDocument,
  fields: ReadonlySet<string> | undefined,
): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { path, value } of leaves) {
    if (fields?.has(path) === false) continue;
    keys.add(toKey(path, value));
    const instant = typeof value === "string" ? parseInstant(value) : undefined;
    if (instant !== undefined) keys.add(toInstantKey(path, instant));
  }
  return keys;
}

function listInstants({ leaves }: KqlDocument): readonly number[] {
  const instants = new Set<number>();
  for (const { value } of leaves) {
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
