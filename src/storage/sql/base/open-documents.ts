import type { Message } from "@bufbuild/protobuf";
import { cutPage } from "../../../domain/base/paging.ts";
import { WORK_LIMITS } from "../../../domain/base/work-budget.ts";
import { isOpen, type Moment, windowOf } from "../../../domain/content/window.ts";
import type { SizedDocument, SizedRow } from "./read-documents.ts";

/** A read of a page of documents. */
interface OpenPageRead<Value extends Message> {
  readonly limit: number;
  readonly at: Moment | undefined;
  /** Finds up to a number of documents, after one or from the start of the page. */
  find(limit: number, after: Value | undefined): Promise<readonly SizedRow[]>;
  /** Reads documents in the order of their rows. */
  read(rows: readonly SizedRow[]): AsyncIterable<SizedDocument<Value>>;
}

/** The number of documents that are found at once after a page with closed windows. */
const MOST_ROWS = 1_000;

/** Reads a page of the documents whose windows are open; `last` is its last one if more follow. */
export async function readOpenPage<Value extends Message>({
  limit,
  at,
  find,
  read,
}: OpenPageRead<Value>): Promise<{ values: readonly Value[]; last: Value | undefined }> {
  const open: SizedDocument<Value>[] = [];
  let bytes = 0;
  // A page ends with an open document, because its token names the last one.
  const isFull = () => open.length > limit || (open.length > 1 && bytes > WORK_LIMITS.bytes);
  let after: Value | undefined;
  for (let wanted = limit + 1; ; wanted = MOST_ROWS) {
    const rows = await find(wanted, after);
    for await (const document of read(rows)) {
      after = document.value;
      if (!isOpen(windowOf(after), at)) continue;
      open.push(document);
      bytes += document.bytes;
      if (isFull()) break;
    }
    if (rows.length < wanted || isFull()) break;
  }
  const { shown, last } = cutPage(open, limit, (it) => it.bytes);
  return { values: shown.map(({ value }) => value), last: last?.value };
}
