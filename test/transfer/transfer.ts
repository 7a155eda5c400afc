import { EXPORTED_KINDS } from "../../src/domain/records/record.ts";
import type { ImportOptions } from "../../src/storage/contract/records.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import { type ExportOptions, exportLines } from "../../src/transfer/export-file.ts";
import { importLines, readRecords } from "../../src/transfer/import-lines.ts";

/** Exports a project as the text of a file. */
export async function exportText(
  store: Store,
  projectId: string,
  options: ExportOptions = {},
): Promise<string> {
  const pieces: Uint8Array[] = [];
  const write = async (bytes: Uint8Array) => {
    pieces.push(bytes);
  };
  await exportLines(store, projectId, write, options);
  return Buffer.concat(pieces).toString("utf8");
}

/** The kinds of an export with releases. */
export const WITH_RELEASES: ExportOptions = { kinds: [...EXPORTED_KINDS, "release"] };

/** Imports the text of a file. */
export function importText(store: Store, text: string, options: ImportOptions = {}) {
  return importLines(store, [Buffer.from(text)], {
    createSecret: () => "whsec_new",
    ...options,
  });
}

/** Imports lines past the checks of a file, which has each resource once. */
export function importRepeats(
  store: Store,
  lines: readonly (object | string)[],
  options: ImportOptions = {},
) {
  return store.importRecords(readRecords([Buffer.from(toText(lines))]), {
    createSecret: () => "whsec_new",
    ...options,
  });
}

/** Writes lines as a file holds them. */
export function toText(lines: readonly (object | string)[]): string {
  return lines.map((it) => `${typeof it === "string" ? it : JSON.stringify(it)}\n`).join("");
}
