import { command } from "../command.ts";
import { DATABASE, withStore } from "../database.ts";
import { describeTime, isStandardOutput, rejectBanner } from "../output.ts";
import { withProgress } from "../progress.ts";

/** Writes a whole project or, after an error, no file. */
export const EXPORT = command({
  summary: "write a project, one resource per line",
  settings: {
    database: DATABASE,
    project: { form: "ID", isRequired: true, help: "project to export" },
    "with-releases": { help: "add the releases that are not applied, with their drafts" },
    force: { help: "replace an existing file" },
  },
  argument: ["[file]", "file to write; default: standard output"],
  examples: [
    ["export --project sandbox sandbox.ndjson", "write a project to a file"],
    ["export --project sandbox --with-releases sandbox.ndjson", "with its drafts"],
  ],
  interrupted: "an export to a file is written completely or not at all",
  async run({ database, project, withReleases, force }, file, env) {
    if (isStandardOutput(file)) rejectBanner(env);
    const { EXPORTED_KINDS } = await import("../../domain/records/record.ts");
    const { exportLines, openExportFile, toStream } = await import("../../transfer/export-file.ts");
    const start = performance.now();
    const target = isStandardOutput(file)
      ? toStream(process.stdout)
      : await openExportFile(file, force);
    try {
      const { items, bytes } = await withStore(database, (store) =>
        withProgress({}, (progress) =>
          exportLines(store, project, target.write, {
            ...(withReleases && { kinds: [...EXPORTED_KINDS, "release"] as const }),
            onProgress: (now) => progress.update(now),
          }),
        ),
      );
      await target.finish();
      process.stderr.write(`exported ${items} (${bytes} bytes) in ${describeTime(start)}\n`);
    } finally {
      await target.close();
    }
  },
});
