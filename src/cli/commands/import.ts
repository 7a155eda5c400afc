import { open, stat } from "node:fs/promises";
import { MOST_WARNINGS } from "../../domain/base/warnings.ts";
import type { DanglingReference, ImportSummary } from "../../storage/contract/records.ts";
import type { Store } from "../../storage/contract/store.ts";
import type { CsvTable } from "../../transfer/csv-lines.ts";
import { command } from "../command.ts";
import { DATABASE, withStore } from "../database.ts";
import { describeImport, describeTime, JSON_OUTPUT, printResult } from "../output.ts";
import { withProgress } from "../progress.ts";
import { ConfigError, type ConfigOf, type SettingTable } from "../setting.ts";
import { oneOf, toOptionalText, toPairs } from "../setting-values.ts";

/** The bytes of a file read at a time: few enough for their objects to die in the young generation. */
const PIECE = 64 * 1024;

/** The kinds of records that an import reads from CSV. */
const CSV_KINDS = ["entity", "creative_work", "event", "video"] as const;

/** The message about a stream as the file of a copy. */
const READ_TWICE = "FILE must be a regular file for --into-project, which reads it twice";

const SETTINGS = {
  database: DATABASE,
  project: {
    form: "ID",
    help: "project of records without a project; records of another project fail",
    parse: toOptionalText,
  },
  "into-project": {
    form: "ID",
    help: "copy the file's project into this one, with new ids: ID~PROJECT",
    parse: toOptionalText,
  },
  "dry-run": { help: "count the changes; write nothing" },
  verbose: { help: "list the changes of a dry run, one a line" },
  json: JSON_OUTPUT,
  csv: { heading: "CSV:", help: "read a CSV table: UTF-8, column names in the first row" },
  kind: {
    form: "KIND",
    help: `kind of the rows: ${CSV_KINDS.join(", ")}`,
    choices: CSV_KINDS,
    parse: (text: string, flag: string) =>
      text === "" ? undefined : oneOf(CSV_KINDS).parse(text, flag),
  },
  columns: {
    isList: true,
    form: "COLUMN=FIELD,…",
    help: "fields of columns: title=title.en; COLUMN= skips; default: same name",
    parse: toPairs,
  },
  set: {
    isList: true,
    form: "FIELD=VALUE,…",
    help: "values of fields in every row, such as visibility=VISIBILITY_PUBLISHED",
    parse: toPairs,
  },
} as const satisfies SettingTable;

/** Imports a whole file or, after an error, nothing. */
export const IMPORT = command({
  summary: "load resources, one per line",
  settings: SETTINGS,
  argument: ["<file>", "file to read; - is standard input"],
  examples: [
    ["import sandbox.ndjson", "load an export"],
    ["import sandbox.ndjson --dry-run --verbose", "show what it would change"],
    ["import sandbox.ndjson --into-project staging", "copy its project into another one"],
    ["import films.csv --csv --kind creative_work --columns title=title.en", "load a table"],
  ],
  interrupted: "an import is written completely or not at all; you can run it again",
  check(config, file) {
    const isCopy = config.intoProject !== undefined;
    if (isCopy && file === "-") throw new ConfigError(READ_TWICE);
    if (config.verbose && !config.dryRun) {
      throw new ConfigError("--verbose lists the changes of a dry run: add --dry-run");
    }
    const table = checkTable(config, file);
    if (isCopy && table !== undefined) {
      throw new ConfigError("--into-project copies an export, so it takes no --csv");
    }
    return { ...config, table };
  },
  async run(config, file) {
    const { randomBytes, randomUUID } = await import("node:crypto");
    const { createSecret } = await import("../../outbox/signature.ts");
    const { importLines } = await import("../../transfer/import-lines.ts");
    const { project: projectId, intoProject, table: csv, dryRun: isDryRun } = config;
    const start = performance.now();
    const now = new Date();
    const { pieces, size } = await openSource(file);
    if (intoProject !== undefined && size === undefined) throw new ConfigError(READ_TWICE);
    const copy =
      intoProject === undefined ? undefined : await openCopy(file, intoProject, projectId);
    const warnings: string[] = [];
    const warn = ({ kind, id, to, field }: DanglingReference & { field?: string }) => {
      const place = field === undefined ? "" : ` in ${field}`;
      warnings.push(
        `warning: ${kind} ${id} refers${place} to ${to.kind} ${to.id}, which its project lacks\n`,
      );
    };
    const importFile = (store: Store) =>
      withProgress({ size }, (progress) =>
        importLines(store, pieces, {
          projectId,
          copy,
          csv,
          createSecret: () => createSecret(randomBytes),
          now,
          announcement: { createId: randomUUID, now },
          onProgress: (state) => progress.update(state),
          onEnd({ items }) {
            if (items > 0) progress.report(`${items} read, writing the indexes`);
          },
          onDangling: warn,
          onMissing: warn,
          isDryRun,
          onRecord({ kind, id }, outcome) {
            if (!config.verbose || outcome === "unchanged") return;
            printResult(config, { outcome, kind, id }, `${outcome} ${kind} ${id}\n`);
          },
        }),
      );
    // The records are of a project that is in the database already.
    const mustExist = projectId !== undefined;
    const summary = await withStore(config.database, importFile, { isBulk: true, mustExist });
    process.stderr.write(warnings.slice(0, MOST_WARNINGS).join(""));
    const more = warnings.length - MOST_WARNINGS;
    if (more > 0) process.stderr.write(`warning: ${more} more references to nothing\n`);
    const { created, updated, unchanged, byKind } = summary;
    const done = `${isDryRun ? "would import" : "imported"} ${created + updated + unchanged}`;
    printResult(
      config,
      { created, updated, unchanged, by_kind: Object.fromEntries(byKind) },
      `${done} (${describeImport(summary)}) in ${describeTime(start)}\n${describeKinds(summary)}`,
    );
  },
});

/** Returns the table in a file, or undefined if it is not CSV. Throws a ConfigError. */
function checkTable(
  { csv, kind, columns, set: constants }: ConfigOf<typeof SETTINGS>,
  file: string,
): CsvTable | undefined {
  if (csv) {
    if (kind !== undefined) return { kind, columns, constants };
    throw new ConfigError(`--csv needs --kind, one of ${CSV_KINDS.join(", ")}`);
  }
  if (kind !== undefined || columns.size + constants.size > 0) {
    throw new ConfigError("--kind, --columns and --set describe CSV: add --csv");
  }
  if (!/\.csv$/i.test(file)) return undefined;
  throw new ConfigError(
    `${file} is CSV: pass --csv --kind KIND, such as --csv --kind creative_work --columns title=title.en`,
  );
}

/** Opens the file, or standard input, whose size is unknown. */
async function openSource(file: string) {
  if (file === "-") return { pieces: process.stdin as AsyncIterable<Uint8Array>, size: undefined };
  const stats = await stat(file);
  if (stats.isDirectory()) throw new ConfigError(`${file} is a directory, not a file to import`);
  const handle = await open(file);
  const pieces: AsyncIterable<Uint8Array> = handle.createReadStream({ highWaterMark: PIECE });
  return { pieces, size: stats.isFile() ? stats.size : undefined };
}

/** Reads the names in the file, which a copy needs beforehand. */
async function openCopy(file: string, intoProjectId: string, projectId: string | undefined) {
  const { readCopy } = await import("../../transfer/project-copy.ts");
  const pieces = (await open(file)).createReadStream({ highWaterMark: PIECE });
  return readCopy(pieces, intoProjectId, projectId);
}

/** Describes each kind on its own line if there are several. */
function describeKinds({ byKind }: ImportSummary): string {
  if (byKind.size < 2) return "";
  return [...byKind].map(([kind, counts]) => `  ${kind}: ${describeImport(counts)}\n`).join("");
}
