import type { Record as TransferRecord } from "../../gen/svc/transfer/v1/record_pb.ts";

/** Reads everything of a project. */
export interface RecordExport {
  /**
   * Hands over the records of a project in batches, from one snapshot: its organization, itself, and what
   * it owns by kind in the order of the record's members, within a kind by id in code point order; page
   * components by page, in page order. The next batch is read when `take` has returned, so that memory
   * stays bounded. What follows from other records is left out, and so is every secret. NOT_FOUND for a
   * project that does not exist.
   */
  exportRecords(
    projectId: string,
    take: (records: readonly TransferRecord[]) => Promise<void> | void,
  ): Promise<void>;
}
