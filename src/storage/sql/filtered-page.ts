import { type DescMessage, type MessageShape, toJson } from "@bufbuild/protobuf";
import { createKqlTest, type KqlNode } from "../../domain/kql/index.ts";
import { WORK_LIMITS } from "../../domain/work-budget.ts";
import type { Db } from "../db/db.ts";
import type { Query } from "../db/query.ts";
import type { DocumentPage, DocumentPlace, DocumentQuery } from "../document-store.ts";
import { createListBudget } from "./list-budget.ts";

/** The rows that the first statement reads, and the most that one reads: few, as each may have megabytes. */
const FIRST_STEP = 20;
const LONGEST_STEP = 500;

/** A statement reads at most so many times the rows of the one before. */
const MOST_GROWTH = 8;

/** A row with its place in the order of a list. */
export interface PlacedRow {
  readonly id: string;
  readonly order_key: number | null;
}

/** Reads the rows of a list and converts them to values. */
export interface RowReader<Row extends PlacedRow, T> {
  select(after: DocumentPlace | undefined, limit: number): Query<Row>;
  toValue(row: Row): T;
  /** Returns the size of a row, in bytes. */
  sizeOf(row: Row): number;
  /** Undefined: every value matches. */
  readonly matches: ((value: T) => boolean) | undefined;
}

/**
 * Reads a page of matching values, testing one after the other. Stops when the budget is spent, after at
 * least one test, and before a value with which the response would be too large, but for the first.
 */
export async function readFiltered<Row extends PlacedRow, T>(
  db: Db,
  {
    limit,
    after: start,
    budget = createListBudget(),
  }: Pick<DocumentQuery, "after" | "budget" | "limit">,
  { select, toValue, sizeOf, matches }: RowReader<Row, T>,
): Promise<DocumentPage<T>> {
  const values: T[] = [];
  let after = start;
  let step = FIRST_STEP;
  for (;;) {
    if (matches === undefined) step = Math.min(step, limit + 1 - values.length);
    const before = budget.spent;
    const rows = await db.all(select(after, step), budget);
    const bytes = rows.reduce((sum, row) => sum + sizeOf(row), 0);
    const fitting = Math.min(
      (rows.length * WORK_LIMITS.statement) / (budget.spent - before),
      (rows.length * WORK_LIMITS.bytes) / bytes,
      rows.length * MOST_GROWTH,
    );
    for (const row of rows) {
      await budget.nextStep();
      const found = budget.count(() => {
        const value = toValue(row);
        return matches === undefined || matches(value) ? { value } : undefined;
      });
      if (found !== undefined) {
        const isFull = values.length === limit;
        if (isFull || (!budget.takeBytes(sizeOf(row)) && values.length > 0)) {
          return { values, ...(after && { next: after }) };
        }
        values.push(found.value);
      }
      after = { key: row.order_key, id: row.id };
      if (budget.isSpent) return { values, next: after };
    }
    if (rows.length < step) return { values };
    step = Math.max(1, Math.min(Math.floor(fitting), LONGEST_STEP));
  }
}

/**
 * Creates the test of a filter on the JSON of management: with proto names and implicit defaults. Undefined
 * without a filter.
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
