import type { DescMessage, Message, MessageShape } from "@bufbuild/protobuf";
import { type SelectQueryBuilder, sql } from "kysely";
import { cutPage } from "../../../domain/base/paging.ts";
import { WORK_LIMITS, type WorkBudget } from "../../../domain/base/work-budget.ts";
import { isOpen, type Moment, windowOf } from "../../../domain/content/window.ts";
import type { DeliveredKind } from "../../../domain/kinds.ts";
import type { Db } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { createListBudget } from "./list-budget.ts";
import { readDocument } from "./stored-document.ts";

/** The bytes of stored documents that are read at a time. */
const MOST_BYTES = 1024 * 1024;

/** The least bytes that a document counts in a part, so that at most 512 are read at a time. */
const LEAST_BYTES = 2048;

/** The size of a document. */
export interface Size {
  readonly bytes: number;
}

/** Cuts documents into parts that are read together. */
export function toParts<Row extends Size>(sizes: readonly Row[]): readonly (readonly Row[])[] {
  return toSizedGroups(sizes, ({ bytes }) => Math.max(bytes, LEAST_BYTES));
}

/** Cuts records into groups whose stored documents have at most so many bytes together, or one larger document. */
export function toSizedGroups<Record>(
  records: readonly Record[],
  sizeOf: (record: Record) => number,
  mostBytes: number = MOST_BYTES,
): readonly (readonly Record[])[] {
  const groups: Record[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const record of records) {
    const own = sizeOf(record);
    size += own;
    if (size > mostBytes) {
      groups.push([]);
      size = own;
    }
    groups.at(-1)?.push(record);
  }
  return groups;
}

/** A document to read, with its size. */
export interface SizedRow extends Size {
  readonly id: string;
}

/** A document that was read. */
export interface SizedDocument<Value> extends SizedRow {
  readonly value: Value;
}

/** Selects the size of a document. The engines find it without reading the document. */
export const BYTES = sql<number>`octet_length(doc)`.as("bytes");

/** The tables with documents of projects that are read in lists. */
type ProjectTable = DeliveredKind | "annotation" | "page" | "page_component" | "ruleset";

/**
 * Reads documents a megabyte at a time, in the order of their sizes: they may be few and large. Other calls run in
 * between. Documents that were deleted since their sizes were read are omitted.
 */
export async function* readInParts<Row extends { readonly id: string }>(
  sizes: readonly SizedRow[],
  read: (ids: readonly string[]) => Promise<readonly Row[]>,
  budget: WorkBudget = createListBudget(),
): AsyncGenerator<readonly Row[]> {
  for (const part of toParts(sizes)) {
    await budget.pace();
    const ids = part.map(({ id }) => id);
    yield inOrderOf(ids, await read(ids));
  }
}

/** Returns the rows of ids in the order of the ids, as many as fit into a response by their bytes, but at least one. */
export function takeFitting<Row extends SizedRow>(
  ids: readonly string[],
  rows: readonly Row[],
): readonly Row[] {
  const all = inOrderOf([...new Set(ids)], rows);
  return cutPage(all, all.length, ({ bytes }) => bytes).shown;
}

function inOrderOf<Row extends { readonly id: string }>(
  ids: readonly string[],
  rows: readonly Row[],
): readonly Row[] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The number of documents that are read without a look at their sizes, which takes one more statement. */
const FEW = 4;

/** Reads the rows of ids in parts, or a few at once; see {@link readInParts}. */
export async function* readMany<DB, TB extends keyof DB, Row extends { readonly id: string }>(
  db: Db,
  ids: readonly string[],
  rows: SelectQueryBuilder<DB, TB, Row>,
): AsyncGenerator<readonly Row[]> {
  const select = (some: readonly string[]) => rows.where(sql.ref("id"), "in", some);
  const id = sql<string>`id`.as("id");
  const measure = select(ids).clearSelect().select([id, BYTES]).$castTo<SizedRow>();
  const sizes = ids.length > FEW ? await db.all(measure) : ids.map((id) => ({ id, bytes: 0 }));
  yield* readInParts(sizes, (some) => db.all(select(some)));
}

/** Reads the documents of a project that rows name, in the order of the rows; see {@link readInParts}. */
export async function* readDocuments<Desc extends DescMessage>(
  db: Db,
  { table, schema }: { readonly table: ProjectTable; readonly schema: Desc },
  projectId: string,
  rows: readonly SizedRow[],
  budget?: WorkBudget,
): AsyncGenerator<SizedDocument<MessageShape<Desc>>> {
  const select = build.selectFrom(table).select(["id", "doc"]).where("project_id", "=", projectId);
  const read = (ids: readonly string[]) => db.all(select.where("id", "in", [...ids]));
  for await (const part of readInParts(rows, read, budget)) {
    for (const { id, doc } of part)
      yield { id, bytes: doc.length, value: readDocument(schema, doc) };
  }
}

/** A read of a page of documents. */
interface OpenPageRead<Value extends Message> {
  readonly limit: number;
  readonly at: Moment | undefined;
  /** Once its time is up, the page ends. */
  readonly budget?: WorkBudget | undefined;
  /** Finds up to a number of documents, after one or from the start of the page. */
  find(limit: number, after: Value | undefined): Promise<readonly SizedRow[]>;
  /** Reads documents in the order of their rows. */
  read(rows: readonly SizedRow[]): AsyncIterable<SizedDocument<Value>>;
}

/** The number of documents that are found at once after a page with closed windows. */
const MOST_ROWS = 1_000;

/** Reads a page of the documents whose windows are open; `last` is where it ends if more may follow. */
export async function readOpenPage<Value extends Message>({
  limit,
  at,
  budget,
  find,
  read,
}: OpenPageRead<Value>): Promise<{ values: readonly Value[]; last: Value | undefined }> {
  const open: SizedDocument<Value>[] = [];
  let bytes = 0;
  let after: Value | undefined;
  const isFull = () => open.length > limit || (open.length > 1 && bytes > WORK_LIMITS.bytes);
  const isCut = () => after !== undefined && budget?.isOutOfTime === true;
  for (let wanted = limit + 1; ; wanted = MOST_ROWS) {
    const rows = await find(wanted, after);
    for await (const document of read(rows)) {
      after = document.value;
      if (isOpen(windowOf(after), at)) {
        open.push(document);
        bytes += document.bytes;
      }
      if (isFull() || isCut()) break;
    }
    if (rows.length < wanted || isFull() || isCut()) break;
  }
  const { shown, last } = cutPage(open, limit, (it) => it.bytes);
  return {
    values: shown.map(({ value }) => value),
    last: last?.value ?? (isCut() ? after : undefined),
  };
}
