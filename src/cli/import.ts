import { randomBytes, randomUUID } from "node:crypto";
import { open, stat } from "node:fs/promises";
import { createSecret } from "../outbox/signature.ts";
import type { ImportCounts, ImportSummary } from "../storage/contract/record-import.ts";
import { openStore } from "../storage/open.ts";
import { importLines } from "../transfer/import-lines.ts";
import { ProjectCopy } from "../transfer/project-copy.ts";
import { type ImportConfig, READ_TWICE } from "./command-settings.ts";
import { Progress } from "./progress.ts";
import { ConfigError } from "./setting.ts";
import { printResult } from "./store-command.ts";

/** The bytes of a file read at a time: few enough for their objects to die in the young generation. */
const PIECE = 64 * 1024;

/** Runs `marquee import FILE`: imports the whole file or, after an error, nothing. */
export async function importFile(config: ImportConfig): Promise<void> {
  const start = performance.now();
  const source = await openSource(config);
  if (config.intoProjectId !== undefined && source.size === undefined) {
    throw new ConfigError(READ_TWICE);
  }
  const store = await openStore(config.database, { isBulk: true });
  const progress = new Progress(process.stderr, { size: source.size });
  const warnings: string[] = [];
  try {
    const summary = await importLines(store, source.pieces, {
      projectId: config.projectId,
      copy: await readCopy(config),
      csv: config.csv,
      createSecret: () => createSecret(randomBytes),
      announcement: { createId: randomUUID, now: new Date() },
      onProgress: (now) => progress.update(now),
      onEnd({ items }) {
        if (items > 0) progress.report(`${items} read, writing the indexes`);
      },
      onDangling: ({ kind, id, to }) =>
        warnings.push(
          `warning: ${kind} ${id} refers to ${to.type} ${to.id}, which its project lacks\n`,
        ),
      ...(config.isDryRun && {
        isDryRun: true,
        onRecord({ kind, id }, outcome) {
          if (outcome === "unchanged") return;
          printResult(config, { outcome, kind, id }, `${outcome} ${kind} ${id}\n`);
        },
      }),
    });
    progress.end();
    process.stderr.write(warnings.join(""));
    const { created, updated, unchanged, byKind } = summary;
    printResult(
      config,
      { created, updated, unchanged, by_kind: Object.fromEntries(byKind) },
      `${describe(config, summary)} in ${toSeconds(start)} s\n${describeKinds(summary)}`,
    );
  } finally {
    progress.end();
    await store.close();
  }
}

/** Opens the file, or standard input, whose size is unknown. */
async function openSource({ file }: ImportConfig) {
  if (file === "-") return { pieces: process.stdin as AsyncIterable<Uint8Array>, size: undefined };
  const stats = await stat(file);
  if (stats.isDirectory()) throw new ConfigError(`${file} is a directory, not a file to import`);
  const handle = await open(file);
  const pieces: AsyncIterable<Uint8Array> = handle.createReadStream({ highWaterMark: PIECE });
  return { pieces, size: stats.isFile() ? stats.size : undefined };
}

/** Reads the names in the file, which a copy needs beforehand; undefined if it is not for a copy. */
async function readCopy({
  file,
  projectId,
  intoProjectId,
}: ImportConfig): Promise<ProjectCopy | undefined> {
  if (intoProjectId === undefined) return undefined;
  const copy = new ProjectCopy(intoProjectId, projectId);
  await copy.readNames((await open(file)).createReadStream({ highWaterMark: PIECE }));
  return copy;
}

function describe({ isDryRun }: ImportConfig, summary: ImportSummary): string {
  const { created, updated, unchanged } = summary;
  const done = isDryRun ? "would import" : "imported";
  return `${done} ${created + updated + unchanged} (${describeCounts(summary)})`;
}

/** Describes each kind on its own line if there are several. */
function describeKinds({ byKind }: ImportSummary): string {
  if (byKind.size < 2) return "";
  return [...byKind].map(([kind, counts]) => `  ${kind}: ${describeCounts(counts)}\n`).join("");
}

function describeCounts({ created, updated, unchanged }: ImportCounts): string {
  return `${created} created, ${updated} updated, ${unchanged} unchanged`;
}

function toSeconds(start: number): string {
  return ((performance.now() - start) / 1_000).toFixed(1);
}
