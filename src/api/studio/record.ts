import { create, type Message } from "@bufbuild/protobuf";
import {
  RecordOutcome,
  type RecordResult,
  RecordResultSchema,
  RecordService,
  WriteMode,
} from "../../../gen/svc/studio/cms/record/v1/record_service_pb.ts";
import type { Record as TransferRecord } from "../../../gen/svc/transfer/v1/record_pb.ts";
import { DomainError } from "../../domain/base/errors.ts";
import { checkField, invalidField } from "../../domain/base/field-errors.ts";
import { clip } from "../../domain/base/text.ts";
import { checkReadable } from "../../domain/base/unreadable-items.ts";
import type { Warning } from "../../domain/base/warnings.ts";
import { kindOf, listAddedReferences } from "../../domain/kinds.ts";
import { LineError } from "../../domain/records/line-error.ts";
import {
  createBoundedMerge,
  listRecordFields,
  type mergeRecord,
} from "../../domain/records/merge-record.ts";
import {
  openRecord,
  pathOf,
  RECORD_KINDS,
  type RecordItem,
  type RecordKind,
  recordIdOf,
  type StoredRecord,
} from "../../domain/records/record.ts";
import { parseRecordMask, type RecordMask } from "../../domain/records/record-mask.ts";
import type { Reference } from "../../domain/references.ts";
import { warnOfCleared } from "../../domain/validation/cleared-values.ts";
import type { ImportOutcome } from "../../storage/contract/records.ts";
import { implement, type StudioService } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { isWritable, RecordWriter } from "./record-writer.ts";
import type { StudioDependencies } from "./resource.ts";
import { type WrittenResource, warnOfWritten } from "./written-warnings.ts";

/** Creates the service that writes many resources in one call. */
export function createRecordService(dependencies: StudioDependencies): StudioService {
  return implement(RecordService, {
    async writeRecords({ projectId, records, mode }, call) {
      call.readIfMatch()(undefined);
      const mergeBounded = createBoundedMerge();
      const written = new Map<number, WrittenRecord>();
      const merge: typeof mergeRecord = (given, stored, now) => {
        const merged = mergeBounded(given, stored, now);
        written.set(given.line, [merged, stored]);
        return merged;
      };
      const writer = new RecordWriter(call, dependencies, { merge });
      const { items, rejected } = openRecords(records, projectId);
      if (mode === WriteMode.EACH) {
        call.hasSeparateChanges = true;
        const results = new Map<number, Result>(rejected);
        const outcomes = await writer.write(items, (line, error) => {
          results.set(line, error);
          written.delete(line);
        });
        await warnOf(call, written.values());
        return { results: toResults(records, new Map([...results, ...outcomes])) };
      }
      for (const [line, error] of rejected) throw atRecord(line, error);
      const results = await writer.write(items).catch((error) => {
        throw error instanceof LineError ? atRecord(error.line, error.original) : error;
      });
      await warnOf(call, written.values());
      return { results: toResults(records, results) };
    },
  });
}

/** A record as it is written, and the stored resource that it replaces. */
type WrittenRecord = readonly [RecordItem, StoredRecord | undefined];

/** Warns of values that records have cleared, of their filters, and of references that they add. */
async function warnOf(call: StudioCall, written: Iterable<WrittenRecord>): Promise<void> {
  const added: Reference[] = [];
  const resources: WrittenResource[] = [];
  for (const [record, stored] of written) {
    const { kind, message, pageId } = record;
    const path = toPath(record);
    const states = { after: message, before: stored?.message };
    call.warn(warnOfRecord(record, stored));
    added.push(...listAddedReferences(kind, states, path));
    const findPage = pageId === undefined ? undefined : async () => pageId;
    resources.push({ kind, ...states, path, ...(findPage && { findPage }) });
  }
  await warnOfWritten(call, resources);
  await call.warnOfMissing(added);
}

function warnOfRecord(record: RecordItem, stored: StoredRecord | undefined): Warning | undefined {
  const { kind, message, mask } = record;
  const masked = { names: mask?.fields ?? [], path: `${toPath(record)}.` };
  return stored && warnOfCleared(kindOf(kind).schema, stored.message, message, masked);
}

/** Returns the path of the resource of a record in the request. */
function toPath({ kind, line }: RecordItem): string {
  return `records[${line - 1}].${pathOf(kind)}`;
}

/** The outcome of a record, or the error of a rejected one. */
type Result = ImportOutcome | DomainError;

/** The records of a call that can be written, and the errors of the others by line: the first record has line 1. */
interface OpenedRecords {
  readonly items: readonly RecordItem[];
  readonly rejected: ReadonlyMap<number, DomainError>;
}

function openRecords(records: readonly TransferRecord[], projectId: string): OpenedRecords {
  const items = new Map<string, RecordItem>();
  const rejected = new Map<number, DomainError>();
  const masks = new Map<string, RecordMask>();
  for (const [index, record] of records.entries()) {
    try {
      checkReadable(record);
      const opened = openWritten(record, index + 1, projectId);
      const mask = parseMask(record, opened.kind, masks);
      const item = mask === undefined ? opened : { ...opened, mask };
      const key = `${item.kind} ${recordIdOf(item)}`;
      const first = items.get(key);
      const description = `is also in records[${(first?.line ?? 0) - 1}]; send each resource once`;
      checkField(first === undefined, `${pathOf(item.kind)}.id`, "RECORD_REPEATED", description);
      items.set(key, item);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      rejected.set(index + 1, error);
    }
  }
  return { items: [...items.values()], rejected };
}

/** Opens a record, in the project of the call. */
function openWritten(record: TransferRecord, line: number, projectId: string): RecordItem {
  const item = openRecord(record, line);
  const kinds = RECORD_KINDS.filter(isWritable).join(", ");
  if (item === undefined) {
    throw invalidField("resource", "FIELD_REQUIRED", `must have a resource of one of ${kinds}`);
  }
  const { kind, message } = item;
  const path = pathOf(kind);
  const description = `cannot be written by records, only ${kinds}`;
  checkField(isWritable(kind), kind, "RECORD_KIND_INVALID", description);
  const isCurrent = record.releaseId === "" && !record.base && !record.force;
  checkField(isCurrent, "release_id", "RECORD_KIND_INVALID", "drafts cannot be written by records");
  const own = message as Message & { projectId: string };
  own.projectId ||= projectId;
  const different = `must be '${projectId}', the project of the call, not '${clip(own.projectId)}'`;
  checkField(own.projectId === projectId, `${path}.project_id`, "PROJECT_DIFFERENT", different);
  checkField(recordIdOf(item) !== "", `${path}.id`, "FIELD_REQUIRED", "is required");
  checkField(item.pageId !== "", `${kind}.page_id`, "FIELD_REQUIRED", "is required");
  return item;
}

/** Parses the mask of a record, equal ones of a kind once; undefined if it has none. */
function parseMask(
  { fieldsMask }: TransferRecord,
  kind: RecordKind,
  parsed: Map<string, RecordMask>,
): RecordMask | undefined {
  if (fieldsMask === "") return undefined;
  const { schema } = kindOf(kind);
  const key = `${kind} ${fieldsMask}`;
  const mask = parsed.get(key) ?? parseRecordMask(fieldsMask, schema, listRecordFields(schema));
  parsed.set(key, mask);
  return mask;
}

function toResults(
  records: readonly TransferRecord[],
  results: ReadonlyMap<number, Result>,
): RecordResult[] {
  return records.map((record, index) => {
    const item = openRecord(record, index + 1);
    const result = results.get(index + 1);
    const isRejected = result instanceof DomainError;
    return create(RecordResultSchema, {
      kind: item?.kind ?? "",
      id: item === undefined ? "" : recordIdOf(item),
      outcome: isRejected ? RecordOutcome.REJECTED : OUTCOMES[result ?? "unchanged"],
      ...(isRejected && { error: toError(result) }),
    });
  });
}

const OUTCOMES = {
  created: RecordOutcome.CREATED,
  updated: RecordOutcome.UPDATED,
  unchanged: RecordOutcome.UNCHANGED,
} as const;

function toError({ reason, message, fields, metadata }: DomainError) {
  return { reason, message, field: fields[0]?.field ?? "", metadata: { ...metadata } };
}

/** Returns the error of a record with its place in the request: `records[3]`. */
function atRecord(line: number, { code, reason, message, fields, metadata, cause }: DomainError) {
  const at = `records[${line - 1}]`;
  const { field } = metadata;
  return new DomainError(code, reason, `${at}: ${message}`, {
    fields: fields.map((it) => ({ ...it, field: `${at}.${it.field}` })),
    metadata: {
      ...metadata,
      ...(field !== undefined && { field: `${at}.${field}` }),
      record: String(line - 1),
    },
    cause,
  });
}
