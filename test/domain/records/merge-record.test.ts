import { create, type Message, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import { createBoundedMerge } from "../../../src/domain/records/merge-record.ts";
import { openRecord, wrapRecord } from "../../../src/domain/records/record.ts";
import { rejection } from "../../harness/rejection.ts";

const NOW = new Date(0);
const eventOf = (text: string) => create(EventSchema, { id: "e", contentType: text });
const sizeOf = (message: Message) => toBinary(EventSchema, message as never).length;
const recordOf = (text: string) => {
  const record = openRecord(wrapRecord({ kind: "event", message: eventOf(text), line: 1 }), 1);
  return record ?? expect.fail("no record");
};
const TOO_LARGE = rejection("RECORDS_TOO_LARGE", undefined, { code: Code.RESOURCE_EXHAUSTED });

test("records write as many bytes as they may, and not one more", () => {
  const size = sizeOf(createBoundedMerge()(recordOf("a"), undefined, NOW).message);
  const merge = createBoundedMerge(2 * size);
  for (const text of ["a", "b"]) merge(recordOf(text), undefined, NOW);
  expect(() => createBoundedMerge(size - 1)(recordOf("a"), undefined, NOW)).toThrow(TOO_LARGE);
  expect(() => merge(recordOf("c"), undefined, NOW)).toThrow(TOO_LARGE);
});

test("what is stored counts, also if it stays as it is, and records after the limit are rejected", () => {
  const message = eventOf("stored");
  const merge = createBoundedMerge(2 * sizeOf(message));
  const stored = { message };
  for (let count = 0; count < 2; count += 1) merge(recordOf("stored"), stored, NOW);
  expect(() => merge(recordOf("stored"), stored, NOW)).toThrow(TOO_LARGE);
  expect(() => merge(recordOf(""), undefined, NOW)).toThrow(TOO_LARGE);
});
