import { readRestoreConfig } from "../config.ts";
import { restoreDatabase } from "../storage/open.ts";
import { createCopyProgress, describeContents } from "./database-copy.ts";

/** Runs `marquee restore FILE`: replaces the database by the whole backup, or changes nothing. */
export async function restore(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { database, file, replace } = readRestoreConfig(args, env);
  const start = performance.now();
  const progress = createCopyProgress(process.stderr);
  try {
    const summary = await restoreDatabase(database, file, {
      replace,
      onProgress: progress.update,
    });
    progress.end();
    process.stdout.write(describeContents("restored", summary, start));
    const { former, hasChecksum } = summary;
    if (former !== undefined) process.stdout.write(`the previous database is ${former}\n`);
    if (!hasChecksum) {
      process.stdout.write(
        "the file has no checksum: its structure was verified, but not every byte\n",
      );
    }
  } finally {
    progress.end();
  }
}
