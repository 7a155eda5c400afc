import { type Message, toBinary } from "@bufbuild/protobuf";
import { Code, DomainError } from "../base/errors.ts";
import { mergeRecord } from "./merge-record.ts";
import { RECORD_SCHEMAS, type RecordKind } from "./record.ts";

/** The maximum bytes of the resources that the records of one call read and write (contract: limits 3). */
export const RECORD_BYTES = 16 * 1024 * 1024;

/**
 * Returns the merge of the records of one call, which read and write at most `maxBytes` of resources: a short record may
 * change a large resource. It throws RESOURCE_EXHAUSTED `RECORDS_TOO_LARGE` for the record that exceeds it, and for all
 * that follow.
 */
export function createBoundedMerge(maxBytes = RECORD_BYTES): typeof mergeRecord {
  let left = maxBytes;
  const take = (kind: RecordKind, message: Message) => {
    if (left >= 0) left -= toBinary(RECORD_SCHEMAS[kind], message).length;
    if (left < 0) throw tooLarge(maxBytes);
  };
  return (record, stored, now) => {
    if (stored !== undefined) take(record.kind, stored.message);
    const merged = mergeRecord(record, stored, now);
    if (merged.message !== stored?.message) take(record.kind, merged.message);
    return merged;
  };
}

function tooLarge(maxBytes: number): DomainError {
  const message = `the resources of the records are larger than ${maxBytes} bytes, before and after the call together; send this record and those that follow in other calls`;
  return new DomainError(Code.RESOURCE_EXHAUSTED, "RECORDS_TOO_LARGE", message);
}
