import { blameLine, LineError } from "../../../domain/records/line-error.ts";
import type {
  ImportedRecord,
  ImportOptions,
  ImportOutcome,
  ImportSummary,
} from "../../contract/records.ts";

type Counts = { created: number; updated: number; unchanged: number };

/** Counts the outcomes of the records of an import, and decides what follows when one is rejected. */
export class ImportCount {
  /** True if rejected records are omitted; false if the first one ends the import. */
  readonly omitsRejected: boolean;
  readonly #onRecord: NonNullable<ImportOptions["onRecord"]>;
  readonly #onRejected: ImportOptions["onRejected"];
  readonly #total: Counts = { created: 0, updated: 0, unchanged: 0 };
  readonly #byKind = new Map<ImportedRecord["kind"], Counts>();
  /** The outcomes by line, where records can be omitted after they were counted. */
  readonly #counted = new Map<number, readonly [ImportedRecord["kind"], ImportOutcome]>();

  constructor({ onRecord = () => {}, onRejected }: Pick<ImportOptions, "onRecord" | "onRejected">) {
    this.omitsRejected = onRejected !== undefined;
    this.#onRecord = onRecord;
    this.#onRejected = onRejected;
  }

  /** Counts the outcome of a record. */
  add({ kind, id, line }: ImportedRecord, outcome: ImportOutcome): void {
    this.#grow(kind, outcome, 1);
    if (this.omitsRejected) this.#counted.set(line, [kind, outcome]);
    this.#onRecord({ kind, id, line }, outcome);
  }

  /** Rejects the record of a line: it is omitted. Throws the error with its line if that ends the import. */
  reject(line: number, error: unknown): void {
    const blamed = blameLine(line, error);
    if (this.#onRejected === undefined || !(blamed instanceof LineError)) throw blamed;
    const counted = this.#counted.get(blamed.line);
    if (counted !== undefined) this.#grow(...counted, -1);
    this.#counted.delete(blamed.line);
    this.#onRejected(blamed.line, blamed.original);
  }

  /** Runs the write of the record of a line; undefined if that rejects the record and leaves it out. */
  async attempt<T>(line: number, write: () => Promise<T>): Promise<T | undefined> {
    try {
      return await write();
    } catch (error) {
      this.reject(line, error);
      return undefined;
    }
  }

  /** Returns the counts. */
  summary(): Omit<ImportSummary, "projects"> {
    return { ...this.#total, byKind: this.#byKind };
  }

  #grow(kind: ImportedRecord["kind"], outcome: ImportOutcome, by: number): void {
    const counts = this.#byKind.get(kind) ?? { created: 0, updated: 0, unchanged: 0 };
    this.#byKind.set(kind, counts);
    counts[outcome] += by;
    this.#total[outcome] += by;
  }
}
