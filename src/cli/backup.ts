import { backUpDatabase } from "../storage/open.ts";
import type { BackupConfig } from "./command-settings.ts";
import { createCopyProgress, describeContents, toJson } from "./database-copy.ts";
import { printResult } from "./result.ts";

/** Runs `marquee backup FILE`: writes a verified copy of the database, or no file at all. */
export async function backup(config: BackupConfig): Promise<void> {
  const { database, file } = config;
  const start = performance.now();
  const progress = createCopyProgress(process.stderr);
  try {
    const summary = await backUpDatabase(database, file, { onProgress: progress.update });
    progress.end();
    printResult(config, toJson(summary), describeContents("backed up", summary, start));
  } finally {
    progress.end();
  }
}
