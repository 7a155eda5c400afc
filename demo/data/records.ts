import { toJsonString } from "@bufbuild/protobuf";
import { RecordSchema } from "../../gen/svc/transfer/v1/record_pb.ts";
import { type RecordItem, wrapRecord } from "../../src/domain/records/record.ts";
import { createDemoDataset } from "./dataset.ts";
import { toRecords } from "./dataset-records.ts";
import { toReleaseRecords } from "./releases.ts";

/** Prints the records of the demo, except the binding of the role `operator`: no file gives that role. */
export function printDemo(): string {
  return printLines(toRecords(createDemoDataset()))
    .filter((line) => !line.includes('"role_id":"operator"'))
    .join("");
}

/** Prints the releases of the demo, whose other resources exist, and their drafts. */
export function printReleases(): string {
  return printLines(toReleaseRecords(createDemoDataset())).join("");
}

/** Prints records, one per line. The keys of maps keep their order, which clients see. */
function printLines(records: Iterable<RecordItem>): string[] {
  return Array.from(
    records,
    (item) => `${toJsonString(RecordSchema, wrapRecord(item), { useProtoFieldName: true })}\n`,
  );
}
