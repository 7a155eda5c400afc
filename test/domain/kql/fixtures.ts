import type { KqlNode } from "../../../src/domain/kql/index.ts";
import { readLines } from "../../harness/cases.ts";

/** Reads the cases of one file, a JSON case a line. */
export function readCases<Case>(name: "valid" | "invalid" | "match"): readonly Case[] {
  return readLines<Case>(`kql/${name}`);
}

/** A filter, a document, and whether it takes it, at a time if that matters. */
export interface MatchCase {
  readonly filter: string;
  readonly document: unknown;
  readonly now?: string;
  readonly want: boolean;
}

/** Returns the tree as plain JSON without spans, so that trees of different texts compare. */
export function withoutSpans(node: KqlNode): unknown {
  return JSON.parse(JSON.stringify(node, (key, value) => (key === "span" ? undefined : value)));
}
