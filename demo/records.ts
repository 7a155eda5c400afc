import { toJsonString } from "@bufbuild/protobuf";
import { RecordSchema } from "../gen/svc/transfer/v1/record_pb.ts";
import { wrapRecord } from "../src/domain/records/record.ts";
import { createDemoDataset } from "./dataset.ts";
import { toRecords } from "./dataset-records.ts";

/**
 * Prints the records of the demo, one per line, except the binding of the role `operator`: no file gives that role.
 * The keys of maps keep their order, which clients see.
 */
export function printDemo(): string {
  const lines = Array.from(toRecords(createDemoDataset()), (item) =>
    toJsonString(RecordSchema, wrapRecord(item), { useProtoFieldName: true }),
  );
  return lines
    .filter((line) => !line.includes('"role_id":"operator"'))
    .map((line) => `${line}\n`)
    .join("");
}
