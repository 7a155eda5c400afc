import type Database from "better-sqlite3";
import { createPatternTest, type PatternTest } from "../../domain/kql/index.ts";

/** Joins the stored parts of a pattern by NUL, which no stored text contains. */
export function toPatternText(parts: readonly string[]): string {
  return parts.join("\0");
}

/** Splits what {@link toPatternText} joined. */
function readPatternText(text: string): string[] {
  return text.split("\0");
}

/**
 * Adds to a connection the functions that statements call: `matches_pattern(text, pattern)`, which tells
 * whether a text matches a pattern of `toPatternText`, in a time that grows with the two and not with
 * their product.
 */
export function addFunctions(database: Database.Database): void {
  /** A statement asks for row after row with the same pattern. */
  let last: { readonly pattern: string; readonly test: PatternTest } | undefined;
  database.function("matches_pattern", { deterministic: true }, (text, pattern) => {
    if (typeof text !== "string" || typeof pattern !== "string") return 0;
    if (last?.pattern !== pattern) {
      last = { pattern, test: createPatternTest(readPatternText(pattern)) };
    }
    return last.test(text) ? 1 : 0;
  });
}
