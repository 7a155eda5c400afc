import { restoreDatabase } from "../storage/open.ts";
import type { RestoreConfig } from "./command-settings.ts";
import { describeContents, toJson } from "./database-copy.ts";
import { printResult } from "./result.ts";

/** Runs `marquee restore FILE`: replaces the database by the whole backup, or changes nothing. */
export async function restore(config: RestoreConfig): Promise<void> {
  const { database, file, replace } = config;
  const start = performance.now();
  const summary = await restoreDatabase(database, file, { replace });
  const { former } = summary;
  const previous = former === undefined ? "" : `the previous database is ${former}\n`;
  printResult(
    config,
    { ...toJson(summary), previous: former },
    describeContents("restored", summary, start) + previous,
  );
}
