import type { RestoreConfig } from "../config.ts";
import { restoreDatabase } from "../storage/open.ts";
import { createCopyProgress, describeContents, toJson } from "./database-copy.ts";
import { printResult } from "./result.ts";

/** Runs `marquee restore FILE`: replaces the database by the whole backup, or changes nothing. */
export async function restore(config: RestoreConfig): Promise<void> {
  const { database, file, replace } = config;
  const start = performance.now();
  const progress = createCopyProgress(process.stderr);
  try {
    const summary = await restoreDatabase(database, file, {
      replace,
      onProgress: progress.update,
    });
    progress.end();
    const { former, hasChecksum } = summary;
    const notes = [
      ...(former === undefined ? [] : [`the previous database is ${former}\n`]),
      ...(hasChecksum
        ? []
        : ["the file has no checksum: its structure was verified, but not every byte\n"]),
    ];
    printResult(
      config,
      { ...toJson(summary), previous: former, has_checksum: hasChecksum },
      describeContents("restored", summary, start) + notes.join(""),
    );
  } finally {
    progress.end();
  }
}
