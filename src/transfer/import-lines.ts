import { invalidField } from "../domain/base/field-errors.ts";
import { blameLine } from "../domain/records/line-error.ts";
import {
  findOwner,
  isRecordKind,
  pathOf,
  type RecordItem,
  recordIdOf,
} from "../domain/records/record.ts";
import type {
  ImportedRecord,
  ImportOptions,
  ImportOutcome,
  ImportSummary,
  RecordImport,
} from "../storage/contract/records.ts";
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
 * import. INVALID_ARGUMENT `RECORD_REPEATED` for a record that changes the resource of an earlier one.
 */
export function importLines(
  store: RecordImport,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { projectId, copy, csv, onProgress, onEnd, ...options }: ImportLinesOptions = {},
): Promise<ImportSummary> {
  const target = copy?.ids.projectId ?? projectId;
  const repeats = new RepeatedRecords();
  async function* read(): AsyncGenerator<readonly RecordItem[]> {
    const batches = readRecords(source, { projectId, copy, csv, onProgress, onEnd });
    for await (const records of batches) {
      for (const record of records) repeats.add(record);
      yield records;
    }
  }
  return store.importRecords(read(), {
    ...options,
    onRecord(record, outcome) {
      repeats.check(record, outcome);
      options.onRecord?.(record, outcome);
    },
    ...(target !== undefined && { projectId: target }),
    ...(copy !== undefined && { isCopy: true }),
  });
}

/** The most records that are remembered, in about 100 MB. */
const MOST_REMEMBERED = 1_000_000;

/** Finds records of a file that change the resource of an earlier one. Repeats that change nothing are allowed. */
class RepeatedRecords {
  /** The first line of each resource, state of a draft included. */
  readonly #lines = new Map<string, number>();
  /** The first line of a resource by a later one. */
  readonly #repeats = new Map<number, number>();

  add(record: RecordItem): void {
    const { kind, line, releaseId = "", isBase = false } = record;
    const key = [kind, findOwner(record)?.id, releaseId, isBase, recordIdOf(record)].join("\n");
    const first = this.#lines.get(key);
    if (first !== undefined) this.#repeats.set(line, first);
    else if (this.#lines.size < MOST_REMEMBERED) this.#lines.set(key, line);
  }

  check({ kind, id, line }: ImportedRecord, outcome: ImportOutcome): void {
    const first = this.#repeats.get(line);
    if (first === undefined || outcome !== "updated") return;
    const field = isRecordKind(kind) ? `${pathOf(kind)}.id` : kind;
    const description = `must occur once in the file; ${id} is on line ${first}, too, with other values`;
    throw blameLine(line, invalidField(field, "RECORD_REPEATED", description));
  }
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
