import type { JsonValue } from "@bufbuild/protobuf";
import { ALWAYS, type Period } from "../base/time.ts";
import {
  type ClockReading,
  createKqlTest,
  KqlDocument,
  type KqlTest,
  listClockReadings,
  parseInstant,
  parseStoredKql,
  readsNow,
} from "../kql/index.ts";
import { findClockWindow, toMillis } from "../kql/instant.ts";

/** A filter of a ruleset, parsed once for many documents. */
export interface PreparedFilter {
  /** Its clock-dependent bounds; without any, its results never change. */
  readonly clockReadings: readonly ClockReading[];
  /** The clauses without the clock that every matching document meets. */
  readonly testAlways: KqlTest;
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
  const clauses = node.type === "and" ? node.items : [node];
  const items = clauses.filter((clause) => !readsNow(clause));
  let compiled: { readonly now: number; readonly test: KqlTest } | undefined;
  return {
    clockReadings: listClockReadings(node),
    testAlways: createKqlTest({ type: "and", items, span: node.span }, undefined),
    testAt(now) {
      if (compiled?.now !== now) compiled = { now, test: createKqlTest(node, now) };
      return compiled.test;
    },
  };
}

/** A document that is tested by many filters. */
export class FilterableDocument {
  readonly #document: KqlDocument;
  #instants: readonly number[] | undefined;
  /** The results of filters, each at its last time: the same content may show many videos. */
  readonly #results = new Map<PreparedFilter, { readonly now: number; readonly holds: boolean }>();

  constructor(json: JsonValue) {
    this.#document = new KqlDocument(json);
  }

  /** Reports whether the document matches the filter; `now` is in Unix milliseconds. */
  matches(filter: PreparedFilter, now: number): boolean {
    const known = this.#results.get(filter);
    if (known?.now === now) return known.holds;
    const holds = filter.testAt(now)(this.#document);
    this.#results.set(filter, { now, holds });
    return holds;
  }

  /** Returns a window around `now`; inside it, the filter's result for the document stays the same. */
  findWindow({ clockReadings, testAlways }: PreparedFilter, now: number): Period {
    if (clockReadings.length === 0 || !testAlways(this.#document)) return ALWAYS;
    this.#instants ??= listInstants(this.#document);
    return findClockWindow(clockReadings, this.#instants, now);
  }
}

function listInstants({ leaves }: KqlDocument): readonly number[] {
  const instants = new Set<number>();
  for (const { value } of leaves) {
    const instant = typeof value === "string" ? parseInstant(value) : undefined;
    if (instant !== undefined) instants.add(toMillis(instant));
  }
  return [...instants];
}
