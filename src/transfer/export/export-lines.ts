import type { RecordExport } from "../../storage/record-export.ts";
import { printRecord } from "./print-record.ts";

/** The progress of an export. */
export interface ExportProgress {
  readonly items: number;
  readonly bytes: number;
}

/**
 * Writes the records of a project, one per line; the next batch is read when `write` has resolved for the last.
 * `onProgress` is called after every batch. Returns the totals.
 */
export async function exportLines(
  store: RecordExport,
  projectId: string,
  write: (text: Uint8Array) => Promise<void>,
  onProgress: (progress: ExportProgress) => void = () => {},
): Promise<ExportProgress> {
  let [items, bytes] = [0, 0];
  await store.exportRecords(projectId, async (records) => {
    const text = Buffer.from(records.map((record) => `${printRecord(record)}\n`).join(""));
    await write(text);
    items += records.length;
    bytes += text.length;
    onProgress({ items, bytes });
  });
  return { items, bytes };
}
