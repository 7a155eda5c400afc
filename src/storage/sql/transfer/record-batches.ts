import { type Message, toBinary } from "@bufbuild/protobuf";
import { isContentKind } from "../../../domain/content/order.ts";
import {
  type DocumentRecordKind,
  findOwner,
  RECORD_SCHEMAS,
  type RecordItem,
  recordIdOf,
} from "../../../domain/transfer/record.ts";
import type { PreparedDocument, RecordBatch } from "../../record-import.ts";
import { type Content, toContentBatch } from "../content/write/content-rows.ts";
import { toGrantedEntitlement } from "./granted-entitlements.ts";

/** The most records of a batch, few enough that garbage collection stays cheap. */
const BATCH = 100;

/** Groups records into batches, in order. */
export function* prepareRecords(records: Iterable<RecordItem>): Generator<RecordBatch> {
  let contents: Content[] = [];
  let documents: PreparedDocument[] = [];
  function* flush(): Generator<RecordBatch> {
    if (contents.length > 0) yield { content: toContentBatch(contents) };
    if (documents.length > 0) yield { documents };
    contents = [];
    documents = [];
  }
  for (const record of records) {
    const isContent = isContentKind(record.kind);
    if ((isContent ? documents : contents).length > 0) yield* flush();
    if (isContent) contents.push(record as Content);
    else documents.push(toDocument(record as RecordItem<DocumentRecordKind>));
    if (contents.length + documents.length >= BATCH) yield* flush();
  }
  yield* flush();
}

function toDocument(record: RecordItem<DocumentRecordKind>): PreparedDocument {
  const { kind, line, pageId, billingTransactionId } = record;
  const owner = findOwner(record);
  return {
    kind,
    id: recordIdOf(record),
    ...(owner !== undefined && { owner }),
    line,
    doc: toBinary(RECORD_SCHEMAS[kind], keptMessage(record)),
    ...(pageId !== undefined && { pageId }),
    ...(billingTransactionId !== undefined && { billingTransactionId }),
  };
}

/** Returns the stored form of a message. */
function keptMessage({ kind, message }: RecordItem<DocumentRecordKind>): Message {
  return kind === "entitlement" ? toGrantedEntitlement(message as never) : message;
}
