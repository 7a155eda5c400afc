import type { Message } from "@bufbuild/protobuf";
import { cutPage, sizeOfDocument } from "../../../domain/base/cut-page.ts";
import { isOpen, type Moment, windowOf } from "../../../domain/content/window.ts";

/** A read of a page of documents. */
interface OpenPageRead<Value extends Message> {
  readonly limit: number;
  readonly at: Moment | undefined;
  /** Reads up to a number of rows, after a document or from the start of the page. */
  read(limit: number, after: Value | undefined): Promise<readonly { readonly doc: Uint8Array }[]>;
  parse(doc: Uint8Array): Value;
}

/** The number of rows that are read at once after a page with closed windows. */
const MOST_ROWS = 1_000;

/** Reads a page of the documents whose windows are open; `last` is its last one if more follow. */
export async function readOpenPage<Value extends Message>({
  limit,
  at,
  read,
  parse,
}: OpenPageRead<Value>): Promise<{ values: readonly Value[]; last: Value | undefined }> {
  const open: { readonly doc: Uint8Array; readonly value: Value }[] = [];
  let after: Value | undefined;
  for (let wanted = limit + 1; ; wanted = MOST_ROWS) {
    const rows = await read(wanted, after);
    for (const { doc } of rows) {
      const value = parse(doc);
      if (isOpen(windowOf(value), at)) open.push({ doc, value });
      after = value;
    }
    // A page ends with an open document, because its token names the last one.
    if (rows.length < wanted || open.length > limit) break;
  }
  const { shown, last } = cutPage(open, limit, sizeOfDocument);
  return { values: shown.map(({ value }) => value), last: last?.value };
}
