import type { Record as TransferRecord } from "../../../../gen/svc/transfer/v1/record_pb.ts";
import { notFound } from "../../../domain/errors.ts";
import { RECORD_KINDS, wrapRecord } from "../../../domain/transfer/record.ts";
import { build } from "../../db/query.ts";
import type { RecordExport } from "../../record-export.ts";
import { type Connections, inside } from "../connections.ts";
import { inReadTransaction } from "../in-transaction.ts";
import { createRecordScan, type ScanPlace } from "./export-scan.ts";

/** Creates the export of records. */
export function createRecordExport(connections: Connections): RecordExport {
  return {
    exportRecords: (projectId, take) =>
      inReadTransaction(connections, async (tx) => {
        const project = await tx.first(
          build
            .selectFrom("project")
            .select(["id", "organization_id as organizationId"])
            .where("id", "=", projectId),
        );
        if (project === undefined) throw notFound(`project ${projectId}`);
        for (const kind of RECORD_KINDS) {
          const scan = createRecordScan(inside(connections, tx), kind, project);
          let after: ScanPlace | undefined;
          do {
            const { items, next } = await scan(after);
            const records = items.map(wrapRecord);
            if (records.length > 0) await take(records satisfies TransferRecord[]);
            after = next;
          } while (after !== undefined);
        }
      }),
  };
}
