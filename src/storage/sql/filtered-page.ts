import { type DescMessage, type MessageShape, toJson } from "@bufbuild/protobuf";
import { createKqlTest, type KqlNode } from "../../domain/kql/index.ts";
import type { DocumentPage, DocumentPlace, DocumentQuery } from "../document-store.ts";

/** How many rows a filter is tried on at a time, and for one page at the most. */
const STEP = 500;
const MOST_TRIED = 10_000;

/** A row that knows its place in the order of a list. */
export interface PlacedRow {
  readonly id: string;
  readonly order_key: number | null;
}

/** How the rows of a list are read and turned into values. */
export interface RowReader<Row extends PlacedRow, T> {
  select(after: DocumentPlace | undefined, limit: number): Promise<readonly Row[]>;
  toValue(row: Row): T;
  /** Undefined: every value counts. */
  readonly matches: ((value: T) => boolean) | undefined;
}

/** Reads a page of the values that match, each tried one after the other; at most 10,000 for one page. */
export async function readFiltered<Row extends PlacedRow, T>(
  { limit, after: start }: Pick<DocumentQuery, "after" | "limit">,
  { select, toValue, matches }: RowReader<Row, T>,
): Promise<DocumentPage<T>> {
  const step = matches === undefined ? limit + 1 : STEP;
  const values: T[] = [];
  let after = start;
  for (let tried = 0; tried < MOST_TRIED; tried += step) {
    const rows = await select(after, step);
    for (const row of rows) {
      const value = toValue(row);
      if (matches === undefined || matches(value)) {
        if (values.length === limit) return { values, ...(after && { next: after }) };
        values.push(value);
      }
      after = { key: row.order_key, id: row.id };
    }
    if (rows.length < step) return { values };
  }
  return { values, ...(after && { next: after }) };
}

/**
 * Makes the test of a filter: on the JSON that management answers, with proto names and every field that
 * has no presence. Undefined without a filter.
 */
export function createMatch<Desc extends DescMessage>(
  schema: Desc,
  filter: KqlNode | undefined,
  now: Date,
): ((value: MessageShape<Desc>) => boolean) | undefined {
  if (filter === undefined) return undefined;
  const form = { useProtoFieldName: true, alwaysEmitImplicit: true };
  const test = createKqlTest(filter, now.getTime());
  return (value) => test(toJson(schema, value, form));
}
