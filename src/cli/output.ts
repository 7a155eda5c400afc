import type { ImportCounts } from "../storage/contract/records.ts";
import { ConfigError, type Setting } from "./setting.ts";

/** The setting of commands whose result a program may read. */
export const JSON_OUTPUT = {
  help: "print results as JSON, one object per line",
} as const satisfies Setting;

/** Prints a result: human-readable, or as a JSON object on one line with `--json`. */
export function printResult(
  { json }: { readonly json: boolean },
  result: object,
  text: string,
): void {
  process.stdout.write(json ? `${JSON.stringify(result)}\n` : text);
}

/** Describes the time since `start`, a time of `performance.now()`, such as `1.5 s`. */
export function describeTime(start: number): string {
  return `${((performance.now() - start) / 1_000).toFixed(1)} s`;
}

/** Describes the counts of the records of an import. */
export function describeImport(counts: ImportCounts): string {
  return `${counts.created} created, ${counts.updated} updated, ${counts.unchanged} unchanged`;
}

/** Describes the counts of the kinds in a database, a line each. */
export function describeCounts(
  counts: readonly (readonly [kind: string, count: number])[],
): string {
  const width = Math.max(...counts.map(([kind]) => kind.length));
  return counts.map(([kind, count]) => `  ${kind.padEnd(width)}  ${count}\n`).join("");
}

/** Reports whether an optional file is standard output: it is absent, or `-`. */
export function isStandardOutput(file: string): boolean {
  return file === "" || file === "-";
}

/** Rejects standard output that already contains lines of npm. Throws a ConfigError. */
export function rejectBanner({
  npm_lifecycle_event: script,
  npm_config_loglevel: level,
}: NodeJS.ProcessEnv): void {
  if (script !== "marquee" || level === "silent" || process.stdout.isTTY) return;
  throw new ConfigError(
    "npm writes its banner to standard output; pass a file, or use bin/marquee",
  );
}
