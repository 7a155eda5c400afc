import { DomainError } from "../../domain/errors.ts";
import { blameLine } from "../../domain/transfer/line-fault.ts";
import type { RecordItem } from "../../domain/transfer/record.ts";
import { prepareRecords } from "../../storage/prepare-records.ts";
import type { RecordBatch } from "../../storage/record-import.ts";
import type { ProjectCopy } from "../copy/project-copy.ts";
import { type Line, LineSplitter } from "./line-splitter.ts";
import { readRecord } from "./read-record.ts";

/** The records of a chunk of a file, up to its first fault, and the fault. */
export interface PreparedPiece {
  readonly batches: readonly RecordBatch[];
  readonly records: number;
  readonly fault?: DomainError;
}

/** Prepares the chunks of one file for the store, in order. */
export class LinePreparer {
  readonly #splitter = new LineSplitter();
  readonly #projectId: string | undefined;
  readonly #copy: ProjectCopy | undefined;

  /** `projectId` is the only accepted project; with `copy`, records are converted to those of the copy. */
  constructor(projectId: string | undefined, copy?: ProjectCopy) {
    this.#projectId = projectId ?? copy?.sourceId;
    this.#copy = copy;
  }

  /** Prepares the next chunk; undefined marks the end of the file. */
  prepare(piece: Uint8Array | undefined): PreparedPiece {
    const records: RecordItem[] = [];
    let fault: DomainError | undefined;
    try {
      for (const line of piece === undefined ? this.#splitter.end() : this.#splitter.push(piece)) {
        records.push(...this.#read(line));
      }
    } catch (cause) {
      if (!(cause instanceof DomainError)) throw cause;
      fault = cause;
    }
    return {
      batches: [...prepareRecords(records)],
      records: records.length,
      ...(fault !== undefined && { fault }),
    };
  }

  #read({ number, text }: Line): RecordItem[] {
    try {
      const record = readRecord(text, number, this.#projectId, this.#copy?.ids);
      // A copy belongs to an existing organization.
      return this.#copy !== undefined && record.kind === "organization" ? [] : [record];
    } catch (fault) {
      throw blameLine(number, fault);
    }
  }
}
