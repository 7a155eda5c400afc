import type { MoveProgress } from "../storage/migrate-database.ts";
import { moveDatabase } from "../storage/open.ts";
import type { MigrateDatabaseConfig } from "./command-settings.ts";
import { describeCounts } from "./database-copy.ts";
import { createProgress, type Progress, type ProgressOutput } from "./progress.ts";
import { printResult } from "./result.ts";

/** Runs `marquee migrate-database`: copies a whole database to an empty one, or nothing. */
export async function migrateDatabase(config: MigrateDatabaseConfig): Promise<void> {
  const { from, to } = config;
  const start = performance.now();
  const progress = createMoveProgress(process.stderr);
  try {
    const { migration, counts } = await moveDatabase(from, to, { onProgress: progress.update });
    progress.end();
    const rows = counts.reduce((sum, [, count]) => sum + count, 0);
    const seconds = ((performance.now() - start) / 1_000).toFixed(1);
    printResult(
      config,
      { rows, migration, counts: Object.fromEntries(counts) },
      `copied and compared ${rows} rows, at migration ${migration}, in ${seconds} s\n${describeCounts(counts)}`,
    );
  } finally {
    progress.end();
  }
}

function createMoveProgress(output: ProgressOutput) {
  let progress: Progress | undefined;
  return {
    update(now: MoveProgress): void {
      if (now.step === "rows") {
        progress ??= createProgress(output, now.size, undefined, " rows");
        progress.update({ items: now.rows, bytes: now.rows });
      } else {
        progress?.tell("comparing");
      }
    },
    end: () => progress?.end(),
  };
}
