import { expect, test } from "vitest";
import { RecordSchema } from "../../../gen/svc/transfer/v1/record_pb.ts";
import { KIND_NAMES, kindOf } from "../../../src/domain/kinds.ts";
import { pathOf } from "../../../src/domain/records/record.ts";

const MEMBERS = RecordSchema.oneofs.flatMap(({ fields }) => fields);

test("exactly the kinds with records are members of a record", () => {
  const want = KIND_NAMES.filter((name) => kindOf(name).record !== "none");
  expect(MEMBERS.map(({ name }) => name).sort()).toEqual([...want].sort());
});

test.each(MEMBERS)("a record has the message of its kind: $name", ({ name, message }) => {
  const { schema } = kindOf(name as (typeof KIND_NAMES)[number]);
  const inner = message?.fields.find((field) => field.name === name)?.message;
  expect([message, inner]).toContain(schema);
});

test("some resources are wrapped in a message with additions", () => {
  expect([pathOf("video"), pathOf("transaction")]).toEqual(["video", "transaction.transaction"]);
});
