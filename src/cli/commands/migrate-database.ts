import { moveDatabase } from "../../storage/open.ts";
import { command } from "../command.ts";
import { describeCounts, describeTime, JSON_OUTPUT, printResult } from "../output.ts";
import { withProgress } from "../progress.ts";
import { toDatabase } from "../setting-values.ts";

/** Copies a database to an empty one completely, or not at all. */
export const MIGRATE_DATABASE = command({
  summary: "copy a database to an empty one, of any engine",
  settings: {
    from: {
      form: "ADDRESS",
      isRequired: true,
      help: "database to copy: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME",
      parse: toDatabase,
    },
    to: {
      form: "ADDRESS",
      isRequired: true,
      help: "empty database to copy it to",
      parse: toDatabase,
    },
    json: JSON_OUTPUT,
  },
  examples: [
    [
      "migrate-database --from sqlite:data/marquee.db --to postgres://marquee@db/marquee",
      "move to PostgreSQL",
    ],
  ],
  interrupted: "a copy is written completely or not at all",
  async run(config) {
    const start = performance.now();
    const { migration, counts } = await withProgress({ unit: " rows" }, (progress) =>
      moveDatabase(config.from, config.to, {
        onProgress(now) {
          if (now.step === "comparison") progress.report("comparing");
          else progress.update({ items: now.rows, bytes: now.rows }, now.size);
        },
      }),
    );
    const rows = counts.reduce((sum, [, count]) => sum + count, 0);
    printResult(
      config,
      { rows, migration, counts: Object.fromEntries(counts) },
      `copied and compared ${rows} rows, at migration ${migration}, in ${describeTime(start)}\n${describeCounts(counts)}`,
    );
  },
});
