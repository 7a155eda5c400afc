import type Database from "better-sqlite3";
import { createPatternTest, type PatternTest } from "../../domain/kql/index.ts";

/** Joins the stored parts of a pattern by NUL, which no stored text contains. */
export function toPatternText(parts: readonly string[]): string {
  return parts.join("\0");
}

/** Splits the result of {@link toPatternText}. */
function readPatternText(text: string): string[] {
  return text.split("\0");
}

/**
 * Registers the SQL functions that statements call: `matches_pattern(text, pattern)` reports whether a text
 * matches a pattern of `toPatternText`, in time proportional to the sum of their lengths, not the product.
 */
export function addFunctions(database: Database.Database): void {
  /** The last pattern, as a statement tests many rows against the same one. */
  let last: { readonly pattern: string; readonly test: PatternTest } | undefined;
  database.function("matches_pattern", { deterministic: true }, (text, pattern) => {
    if (typeof text !== "string" || typeof pattern !== "string") return 0;
    if (last?.pattern !== pattern) {
      last = { pattern, test: createPatternTest(readPatternText(pattern)) };
    }
    return last.test(text) ? 1 : 0;
  });
}
