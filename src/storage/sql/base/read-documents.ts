import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { sql } from "kysely";
import type { DeliveredKind } from "../../../domain/kinds.ts";
import type { Db } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { createListBudget } from "./list-budget.ts";
import { readDocument } from "./stored-document.ts";

/** The most bytes of documents that are read at once: about 5 ms of work. */
const MOST_BYTES = 1024 * 1024;

/** The most documents that are read at once. */
const MOST_DOCUMENTS = 500;

/** A document to read, with its size. */
export interface SizedRow {
  readonly id: string;
  readonly bytes: number;
}

/** A document that was read. */
export interface SizedDocument<Value> extends SizedRow {
  readonly value: Value;
}

/** Selects the size of a document. The engines find it without reading the document. */
export const BYTES = sql<number>`octet_length(doc)`.as("bytes");

/** The tables with documents of projects that are read in lists. */
type ProjectTable = DeliveredKind | "page" | "page_component" | "ruleset";

/**
 * Reads the documents of a project that rows name, in the order of the rows. Their number may be small and their size large:
 * they are read a megabyte at a time, and other calls run in between. Run it in a transaction with the query of the rows.
 */
export async function* readDocuments<Desc extends DescMessage>(
  db: Db,
  { table, schema }: { readonly table: ProjectTable; readonly schema: Desc },
  projectId: string,
  rows: readonly SizedRow[],
): AsyncGenerator<SizedDocument<MessageShape<Desc>>> {
  const budget = createListBudget();
  for (const part of toParts(rows)) {
    const ids = part.map(({ id }) => id);
    const select = build
      .selectFrom(table)
      .select(["id", "doc"])
      .where("project_id", "=", projectId)
      .where("id", "in", ids);
    const found = await budget.spend(() => db.all(select));
    const docs = new Map(found.map(({ id, doc }) => [id, doc]));
    for (const row of part) {
      const doc = docs.get(row.id);
      // In a transaction that writes, another one may have deleted it since.
      if (doc !== undefined) yield { ...row, value: budget.count(() => readDocument(schema, doc)) };
    }
    await budget.nextStep();
  }
}

/** Divides rows into parts of at most a megabyte, or of one row. */
function toParts(rows: readonly SizedRow[]): readonly (readonly SizedRow[])[] {
  const parts: SizedRow[][] = [];
  let left = 0;
  for (const row of rows) {
    const last = parts.at(-1);
    left -= row.bytes;
    if (last === undefined || left < 0 || last.length === MOST_DOCUMENTS) {
      parts.push([row]);
      left = MOST_BYTES - row.bytes;
    } else last.push(row);
  }
  return parts;
}
