import type { DatabaseContents } from "../../storage/contract/backup.ts";
import { backUpDatabase, restoreDatabase } from "../../storage/open.ts";
import { command } from "../command.ts";
import { DATABASE } from "../database.ts";
import { describeCounts, describeTime, JSON_OUTPUT, printResult } from "../output.ts";
import { withProgress } from "../progress.ts";
import { toDatabaseFile } from "../setting-values.ts";

const MIB = 1_048_576;

/** Writes a verified copy of the database, or no file at all. */
export const BACKUP = command({
  summary: "copy the database to a new file while servers use it; omits streams",
  settings: { database: { ...DATABASE, parse: toDatabaseFile("backup") }, json: JSON_OUTPUT },
  argument: ["<file>", "file to write"],
  examples: [["backup data/backup.db", "back up the default database"]],
  interrupted: "a backup is written completely or not at all",
  async run(config, file) {
    const start = performance.now();
    const copy = await withProgress({ unit: " MiB", isForTerminals: true }, (progress) =>
      backUpDatabase(config.database, file, {
        onProgress(now) {
          if (now.step === "check") progress.report("copied, checking");
          else progress.update({ items: Math.floor(now.bytes / MIB), bytes: now.bytes }, now.size);
        },
      }),
    );
    printResult(config, toJson(copy), `backed up ${describe(copy, start)}`);
  },
});

/** Replaces the database by a backup completely, or not at all. */
export const RESTORE = command({
  summary: "create or replace a database from a backup, with its servers stopped",
  settings: {
    database: { ...DATABASE, parse: toDatabaseFile("restore") },
    replace: { help: "replace an existing database, and keep it as NAME.before-restore" },
    json: JSON_OUTPUT,
  },
  argument: ["<file>", "backup to read"],
  examples: [
    ["restore data/backup.db --database sqlite:data/restored.db", "restore next to the original"],
  ],
  interrupted: "a database is restored completely or not at all",
  async run(config, file) {
    const { database, replace } = config;
    const start = performance.now();
    const { former, ...copy } = await restoreDatabase(database, file, { replace });
    const previous = former === undefined ? "" : `the previous database is ${former}\n`;
    printResult(
      config,
      { ...toJson(copy), previous: former },
      `restored ${describe(copy, start)}${previous}`,
    );
  },
});

type Copy = DatabaseContents & { readonly bytes: number };

/** Describes a copied database: size, migration and seconds, then a line with the count of each kind. */
function describe({ bytes, migration, counts }: Copy, start: number): string {
  const size = `${(bytes / MIB).toFixed(1)} MiB`;
  return `${size}, at migration ${migration}, in ${describeTime(start)}\n${describeCounts(counts)}`;
}

function toJson({ bytes, migration, counts }: Copy): object {
  return { bytes, migration, counts: Object.fromEntries(counts) };
}
