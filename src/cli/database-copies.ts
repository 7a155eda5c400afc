import type { DatabaseContents } from "../storage/contract/backup.ts";
import { backUpDatabase, moveDatabase, restoreDatabase } from "../storage/open.ts";
import type { BACKUP, FileConfig, MIGRATE_DATABASE, RESTORE } from "./command-settings.ts";
import { Progress } from "./progress.ts";
import type { ConfigOf } from "./setting.ts";
import { printResult } from "./store-command.ts";

const MIB = 1_048_576;

/** Runs `marquee backup FILE`: writes a verified copy of the database, or no file at all. */
export async function backup(config: FileConfig<typeof BACKUP>): Promise<void> {
  const start = performance.now();
  const progress = new Progress(process.stderr, { unit: " MiB", isForTerminals: true });
  try {
    const summary = await backUpDatabase(config.database, config.file, {
      onProgress(now) {
        if (now.step === "check") progress.report("copied, checking");
        else progress.update({ items: Math.floor(now.bytes / MIB), bytes: now.bytes }, now.size);
      },
    });
    progress.end();
    printResult(config, toJson(summary), describeContents("backed up", summary, start));
  } finally {
    progress.end();
  }
}

/** Runs `marquee restore FILE`: replaces the database by the backup completely, or not at all. */
export async function restore(config: FileConfig<typeof RESTORE>): Promise<void> {
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

/** Runs `marquee migrate-database`: copies a database to an empty one completely, or not at all. */
export async function migrateDatabase(config: ConfigOf<typeof MIGRATE_DATABASE>): Promise<void> {
  const start = performance.now();
  const progress = new Progress(process.stderr, { unit: " rows" });
  try {
    const { migration, counts } = await moveDatabase(config.from, config.to, {
      onProgress(now) {
        if (now.step === "comparison") progress.report("comparing");
        else progress.update({ items: now.rows, bytes: now.rows }, now.size);
      },
    });
    progress.end();
    const rows = counts.reduce((sum, [, count]) => sum + count, 0);
    printResult(
      config,
      { rows, migration, counts: Object.fromEntries(counts) },
      `copied and compared ${rows} rows, at migration ${migration}, in ${toSeconds(start)} s\n${describeCounts(counts)}`,
    );
  } finally {
    progress.end();
  }
}

type Copy = DatabaseContents & { readonly bytes: number };

/** Describes a copied database: size, migration and seconds, then a line with the count of each kind. */
function describeContents(done: string, { bytes, migration, counts }: Copy, start: number): string {
  const size = `${(bytes / MIB).toFixed(1)} MiB`;
  return `${done} ${size}, at migration ${migration}, in ${toSeconds(start)} s\n${describeCounts(counts)}`;
}

function toJson({ bytes, migration, counts }: Copy): object {
  return { bytes, migration, counts: Object.fromEntries(counts) };
}

/** Describes counts, a line each. */
function describeCounts(counts: DatabaseContents["counts"]): string {
  const width = Math.max(...counts.map(([kind]) => kind.length));
  return counts.map(([kind, count]) => `  ${kind.padEnd(width)}  ${count}\n`).join("");
}

function toSeconds(start: number): string {
  return ((performance.now() - start) / 1_000).toFixed(1);
}
