import type { CopyProgress, DatabaseContents } from "../storage/backup.ts";
import { createProgress, type Progress, type ProgressOutput } from "./progress.ts";

const MIB = 1_048_576;

/** Creates the progress display of a backup or restore: on a terminal only, to keep the logs of nightly jobs short. */
export function createCopyProgress(output: ProgressOutput) {
  let progress: Progress | undefined;
  return {
    /** Shows the progress. */
    update(now: CopyProgress): void {
      if (!output.isTTY) return;
      if (now.step === "check") {
        progress?.tell("copied, checking");
        return;
      }
      progress ??= createProgress(output, now.size, undefined, " MiB");
      progress.update({ items: Math.floor(now.bytes / MIB), bytes: now.bytes });
    },
    /** Clears the line. */
    end: () => progress?.end(),
  };
}

/** Describes a copied database: size, migration and seconds, then a line with the count of each kind. */
export function describeContents(
  done: string,
  { bytes, migration, counts }: DatabaseContents & { readonly bytes: number },
  start: number,
): string {
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  const size = `${(bytes / MIB).toFixed(1)} MiB`;
  return `${done} ${size}, at migration ${migration}, in ${seconds} s\n${describeCounts(counts)}`;
}

/** Describes a copied database for `--json`; the counts by kind. */
export function toJson({
  bytes,
  migration,
  counts,
}: DatabaseContents & { readonly bytes: number }): object {
  return { bytes, migration, counts: Object.fromEntries(counts) };
}

/** Describes counts, a line each. */
export function describeCounts(counts: DatabaseContents["counts"]): string {
  const width = Math.max(...counts.map(([kind]) => kind.length));
  return counts.map(([kind, count]) => `  ${kind.padEnd(width)}  ${count}\n`).join("");
}
