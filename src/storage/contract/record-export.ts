import type { Record as TransferRecord } from "../../../gen/svc/transfer/v1/record_pb.ts";
import type { RecordKind } from "../../domain/records/record.ts";

/** Exports the records of a project. */
export interface RecordExport {
  /**
   * Passes the records of a project to `take` in batches, from one snapshot: its organization, the project, and the
   * resources it owns. Kinds are in the order of the record's members, resources of a kind by id in code point order,
   * and page components by page, in page order. Reads the next batch only after `take` has returned, so that memory
   * stays bounded. Omits derived records and every secret. `kinds` are the kinds to export; default: all but releases.
   * A release that is not applied is followed by its drafts, each after its base. NOT_FOUND if the project does not
   * exist.
   */
  exportRecords(
    projectId: string,
    take: (records: readonly TransferRecord[]) => Promise<void> | void,
    kinds?: readonly RecordKind[],
  ): Promise<void>;
}
