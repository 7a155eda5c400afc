import type {
  ImportedRecord,
  ImportOptions,
  ImportOutcome,
  ImportSummary,
} from "../../record-import.ts";

type Counts = { created: number; updated: number; unchanged: number };

/** Counts the outcomes of the records of an import. */
export class ImportCount {
  readonly #onRecord: NonNullable<ImportOptions["onRecord"]>;
  readonly #total: Counts = { created: 0, updated: 0, unchanged: 0 };
  readonly #byKind = new Map<ImportedRecord["kind"], Counts>();

  /** `onRecord` is called for every record. */
  constructor(onRecord: ImportOptions["onRecord"] = () => {}) {
    this.#onRecord = onRecord;
  }

  /** Counts the outcome of a record. */
  add({ kind, id, line }: ImportedRecord, outcome: ImportOutcome) {
    const counts = this.#byKind.get(kind) ?? { created: 0, updated: 0, unchanged: 0 };
    this.#byKind.set(kind, counts);
    counts[outcome] += 1;
    this.#total[outcome] += 1;
    this.#onRecord({ kind, id, line }, outcome);
  }

  /** Returns the counts. */
  summary(): Omit<ImportSummary, "projects"> {
    return { ...this.#total, byKind: this.#byKind };
  }
}
