import { createReadStream } from "node:fs";
import { create } from "@bufbuild/protobuf";
import { BindingSchema } from "../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import type { RecordItem } from "../domain/records/record.ts";
import { readRecords } from "../transfer/import-lines.ts";
import { ORGANIZATION } from "./ids.ts";

/** The records of the demo, as `marquee export` writes them. */
const FILE = new URL("../../demo/demo.ndjson", import.meta.url);

/** The owner's right to create organizations, which no file can grant. */
const OPERATOR = create(BindingSchema, {
  id: "account-owner-operator-1",
  organizationId: ORGANIZATION,
  accountId: "account-owner",
  roleId: "operator",
  resourceKey: `${ORGANIZATION}/organization`,
});

/** Reads the demo's records for an import into an empty database. */
export async function* readDemoRecords(): AsyncGenerator<readonly RecordItem[]> {
  yield* readRecords(createReadStream(FILE));
  yield [{ kind: "binding", message: OPERATOR, line: 0 }];
}
