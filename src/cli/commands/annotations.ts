import { readFile, writeFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { type CommandGroup, command } from "../command.ts";
import { DATABASE, DRY_RUN, openOrganizationOf, withStore } from "../database.ts";
import { describeImport, isStandardOutput, JSON_OUTPUT, printResult } from "../output.ts";
import type { SettingTable } from "../setting.ts";

const VIDEO = {
  database: DATABASE,
  "organization-id": { form: "ID", help: "organization of the video, if several contain the id" },
  video: { form: "ID", isRequired: true, help: "video of the annotations" },
} as const satisfies SettingTable;

const exportChapters = command({
  summary: "write the annotations of a video as WebVTT chapters",
  settings: VIDEO,
  argument: ["[file]", "file to write; default: standard output"],
  examples: [["annotations export --video match-1 chapters.vtt", "write chapters"]],
  interrupted: "the file may be incomplete",
  async run({ database, organizationId, video: videoId }, file) {
    const { listChapters } = await import("../../transfer/video-chapters.ts");
    const { printWebVtt } = await import("../../transfer/web-vtt.ts");
    await withStore(database, async (store) => {
      const organization = await openOrganizationOf(store, "video", videoId, organizationId);
      const text = printWebVtt(await listChapters(store, organization, videoId));
      if (isStandardOutput(file)) process.stdout.write(text);
      else await writeFile(file, text);
    });
  },
});

const importChapters = command({
  summary: "load WebVTT chapters as annotations of a video; runs no actions",
  settings: { ...VIDEO, "dry-run": DRY_RUN, json: JSON_OUTPUT },
  argument: ["<file>", "file to read; - is standard input"],
  examples: [["annotations import --video match-1 --dry-run chapters.vtt", "check a file"]],
  interrupted: "all annotations are written or none; you can import again",
  async run(config, file) {
    const { randomUUID: createId } = await import("node:crypto");
    const { writeChapters } = await import("../../transfer/video-chapters.ts");
    const { parseWebVtt } = await import("../../transfer/web-vtt.ts");
    const { database, organizationId: chosen, video: videoId, dryRun: isDryRun } = config;
    const clock = () => new Date();
    const lines = parseWebVtt(await readText(file));
    await withStore(database, async (store) => {
      const { organizationId } = await openOrganizationOf(store, "video", videoId, chosen);
      const video = { organizationId, videoId };
      const outcomes = await writeChapters(store, video, lines, { isDryRun, createId, clock });
      if (isDryRun) {
        const changes = outcomes.filter(({ outcome }) => outcome !== "unchanged");
        for (const it of changes) printResult(config, it, `${it.outcome} ${it.kind} ${it.id}\n`);
      }
      const counts = { created: 0, updated: 0, unchanged: 0 };
      for (const { outcome } of outcomes) counts[outcome] += 1;
      const done = `${isDryRun ? "would import" : "imported"} ${lines.length}`;
      printResult(config, counts, `${done} (${describeImport(counts)})\n`);
    });
  },
});

async function readText(file: string): Promise<string> {
  const bytes = file === "-" ? await buffer(process.stdin) : await readFile(file);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    const { Code, DomainError } = await import("../../domain/base/errors.ts");
    throw new DomainError(Code.INVALID_ARGUMENT, "TEXT_INVALID", "the text is not UTF-8");
  }
}

/** Exports and imports the annotations of a video as chapters, all of them or none. */
export const ANNOTATIONS: CommandGroup = {
  summary: "export and import the annotations of a video",
  commands: { export: exportChapters, import: importChapters },
};
