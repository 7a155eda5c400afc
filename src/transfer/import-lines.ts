import { blameLine } from "../domain/records/line-error.ts";
import type { RecordItem } from "../domain/records/record.ts";
import type { ImportOptions, ImportSummary, RecordImport } from "../storage/contract/records.ts";
import { type CsvTable, readCsvLines } from "./csv-lines.ts";
import { type Line, splitLines } from "./line-splitter.ts";
import type { ProjectCopy } from "./project-copy.ts";
import { readRecord } from "./read-record.ts";

/** The part of a file that is read and written. */
export interface ImportProgress {
  readonly items: number;
  readonly bytes: number;
}

/** The options of reading a file. */
export interface ReadOptions {
  /** The only accepted project, which fills in a missing one. */
  readonly projectId?: string | undefined;
  /** Converts the records to the records of a copy; it must know the names in the file. */
  readonly copy?: ProjectCopy | undefined;
  /** The table in the file, which is CSV; absent: the file has a record on each line. */
  readonly csv?: CsvTable | undefined;
  /** Called whenever more of the file is written. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
  /** Called at the end of the file, before the import is completed. */
  readonly onEnd?: ((progress: ImportProgress) => void) | undefined;
}

/** Options of {@link importLines}. */
export type ImportLinesOptions = ReadOptions & Omit<ImportOptions, "isCopy" | "projectId">;

/**
 * Imports the records of a file, one per line or row, or none of them: the first error, which names its line, ends the
 * import.
 */
export function importLines(
  store: RecordImport,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { projectId, copy, csv, onProgress, onEnd, ...options }: ImportLinesOptions = {},
): Promise<ImportSummary> {
  const target = copy?.ids.projectId ?? projectId;
  return store.importRecords(readRecords(source, { projectId, copy, csv, onProgress, onEnd }), {
    ...options,
    ...(target !== undefined && { projectId: target }),
    ...(copy !== undefined && { isCopy: true }),
  });
}

/** Reads the records of a file, one chunk at a time. INVALID_ARGUMENT with the line for the first error. */
export async function* readRecords(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { projectId, copy, csv, onProgress = () => {}, onEnd = () => {} }: ReadOptions = {},
): AsyncGenerator<readonly RecordItem[]> {
  const project = projectId ?? copy?.sourceId;
  let [items, bytes] = [0, 0];
  async function* countBytes(): AsyncGenerator<Uint8Array> {
    for await (const piece of source) {
      bytes += piece.length;
      yield piece;
    }
  }
  const chunks = csv === undefined ? splitLines(countBytes()) : readCsvLines(countBytes(), csv);
  for await (const lines of chunks) {
    const records: RecordItem[] = [];
    try {
      for (const line of lines) records.push(...readLine(line, project, copy));
    } catch (error) {
      // The error of a record before is the first one.
      yield records;
      throw error;
    }
    yield records;
    items += records.length;
    onProgress({ items, bytes });
  }
  onEnd({ items, bytes });
}

function readLine(
  { number, text }: Line,
  projectId: string | undefined,
  copy: ProjectCopy | undefined,
): RecordItem[] {
  try {
    const record = readRecord(text, number, projectId, copy?.ids);
    // A copy belongs to an existing organization.
    return copy !== undefined && record.kind === "organization" ? [] : [record];
  } catch (error) {
    throw blameLine(number, error);
  }
}
