import { clone, type DescMessage, equals, type Message, toBinary } from "@bufbuild/protobuf";
import { perDescriptor } from "../base/descriptors.ts";
import { Code, DomainError, notFound } from "../base/errors.ts";
import { stampTimes } from "../base/stamp-times.ts";
import { kindOf } from "../kinds.ts";
import { checkSingleMember } from "../pages/components/data-member.ts";
import { applyMask, type CheckedMask } from "../validation/field-mask.ts";
import {
  RECORD_SCHEMAS,
  type RecordItem,
  type RecordKind,
  recordIdOf,
  type StoredRecord,
} from "./record.ts";
import { applyRecordMask } from "./record-mask.ts";

/** The fields that a record of an existing resource cannot change. */
const FIXED = ["id", "organization_id", "project_id", "create_time", "update_time", "source_type"];

/** Lists the fields that a record of an existing resource changes, also those with update methods of their own. */
export const listRecordFields = perDescriptor(
  ({ fields }: DescMessage): CheckedMask =>
    Object.assign(
      fields.map(({ name }) => name).filter((name) => !FIXED.includes(name)),
      { checked: true as const },
    ),
);

/**
 * Returns the resource that a record makes of the stored one: with a mask, the stored resource with the masked fields
 * of the record, otherwise with all of its fields. An equal one is the stored message itself; another has `now` as its
 * update time, and a new one also as its create time. NOT_FOUND for a mask of a resource that does not exist, and
 * INVALID_ARGUMENT for fields that no mask may name together.
 */
export function mergeRecord<Record extends RecordItem>(
  record: Record,
  stored: StoredRecord | undefined,
  now: Date,
): Record {
  const { kind: name, mask } = record;
  const kind = kindOf(name);
  const { schema } = kind;
  const sent = kind.normalize?.(record.message) ?? record.message;
  if (mask !== undefined) {
    if (name === "page_component") checkSingleMember(mask.fields, "fields_mask");
    kind.checkMask?.(mask.fields, sent);
  }
  if (stored === undefined) {
    if (mask !== undefined) throw notFound(name, recordIdOf(record));
    const message = stampTimes(schema, clone(schema, sent), ["create_time", "update_time"], now);
    return { ...record, message };
  }
  const { message: old } = stored;
  const merged: Message =
    mask === undefined
      ? applyMask(schema, old, sent, listRecordFields(schema))
      : applyRecordMask(schema, old, sent, mask);
  const isSame = equals(schema, merged, old);
  return { ...record, message: isSame ? old : stampTimes(schema, merged, ["update_time"], now) };
}

/** The maximum bytes of the resources that the records of one call read and write (contract: limits 3). */
const RECORD_BYTES = 16 * 1024 * 1024;

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
