import type { RecordExport } from "../../storage/record-export.ts";
import { printRecord } from "./print-record.ts";

/** How far an export is. */
export interface ExportProgress {
  readonly items: number;
  readonly bytes: number;
}

/**
 * Writes the records of a project, one a line; the next are read when `write` is done with the last.
 * `onProgress` hears of every batch. Returns how much was written.
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
