import type { DatabaseContents } from "../storage/backup.ts";

const MIB = 1_048_576;

/** Describes a copied database: size, migration and seconds, then a line with the count of each kind. */
export function describeContents(
  done: string,
  { bytes, migration, counts }: DatabaseContents & { readonly bytes: number },
  start: number,
): string {
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  const size = `${(bytes / MIB).toFixed(1)} MiB`;
  const width = Math.max(...counts.map(([kind]) => kind.length));
  const lines = counts.map(([kind, count]) => `  ${kind.padEnd(width)}  ${count}\n`);
  return `${done} ${size}, at migration ${migration}, in ${seconds} s\n${lines.join("")}`;
}
