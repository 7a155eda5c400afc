import { readBackupConfig } from "../config.ts";
import { backUpDatabase } from "../storage/open.ts";
import { createCopyProgress, describeContents } from "./database-copy.ts";

/** Runs `marquee backup FILE`: writes a verified copy of the database, or no file at all. */
export async function backup(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { database, file } = readBackupConfig(args, env);
  const start = performance.now();
  const progress = createCopyProgress(process.stderr);
  try {
    const summary = await backUpDatabase(database, file, { onProgress: progress.update });
    progress.end();
    process.stdout.write(describeContents("backed up", summary, start));
  } finally {
    progress.end();
  }
}
