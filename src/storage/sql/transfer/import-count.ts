import type { RecordKind } from "../../../domain/transfer/record.ts";
import type { ImportOptions, ImportSummary } from "../../record-import.ts";

type Counts = { created: number; updated: number; unchanged: number };

/** Counts the outcomes of the records of an import. */
export interface ImportCount {
  readonly add: NonNullable<ImportOptions["onRecord"]>;
  summary(): ImportSummary;
}

/** Creates a count; `onRecord` is called for every record. */
export function createImportCount(onRecord: ImportOptions["onRecord"]): ImportCount {
  const total: Counts = { created: 0, updated: 0, unchanged: 0 };
  const byKind = new Map<RecordKind, Counts>();
  return {
    add(record, outcome) {
      const own = byKind.get(record.kind) ?? { created: 0, updated: 0, unchanged: 0 };
      byKind.set(record.kind, own);
      own[outcome] += 1;
      total[outcome] += 1;
      onRecord?.(record, outcome);
    },
    summary: () => ({ ...total, byKind }),
  };
}
