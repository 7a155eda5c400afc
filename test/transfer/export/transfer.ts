import type { ImportOptions, RecordBatch } from "../../../src/storage/record-import.ts";
import type { Store } from "../../../src/storage/store.ts";
import { exportLines } from "../../../src/transfer/export/export-lines.ts";
import { LinePreparer } from "../../../src/transfer/import/line-preparer.ts";

/** Exports a project as the text of a file. */
export async function exportText(store: Store, projectId: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  await exportLines(store, projectId, async (bytes) => {
    pieces.push(bytes);
  });
  return Buffer.concat(pieces).toString("utf8");
}

/** Imports the text of a file. */
export function importText(store: Store, text: string, options: ImportOptions = {}) {
  return store.importRecords(toBatches(text, options.projectId), {
    createSecret: () => "whsec_new",
    ...options,
  });
}

function* toBatches(text: string, projectId: string | undefined): Generator<RecordBatch> {
  const preparer = new LinePreparer(projectId);
  for (const piece of [Buffer.from(text), undefined]) {
    const { batches, fault } = preparer.prepare(piece);
    yield* batches;
    if (fault !== undefined) throw fault;
  }
}

/** Writes lines as a file holds them. */
export function toText(lines: readonly (object | string)[]): string {
  return lines.map((it) => `${typeof it === "string" ? it : JSON.stringify(it)}\n`).join("");
}
