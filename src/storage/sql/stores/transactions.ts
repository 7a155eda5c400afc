import { type SelectQueryBuilder, sql } from "kysely";
import { TransactionSchema } from "../../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import type { Schema } from "../../../../gen/tables.ts";
import { cutPage, sizeOfDocument } from "../../../domain/base/paging.ts";
import { type Billionths, toBillionths } from "../../../domain/monetization/money.ts";
import type {
  TransactionPage,
  TransactionQuery,
  TransactionStore,
} from "../../contract/monetization.ts";
import { onlyRow, type Tx } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { ConnectedStore } from "../base/connections.ts";
import { inReadTransaction } from "../base/in-transaction.ts";
import { readDocument } from "../base/stored-document.ts";

/** Transactions. */
export class SqlTransactionStore extends ConnectedStore implements TransactionStore {
  list(query: TransactionQuery): Promise<TransactionPage> {
    return inReadTransaction(this.connections, query.projectIds.join(), async (tx) => {
      const page = await readPage(tx, query);
      if (!query.withSummary) return page;
      return { ...page, summary: await readSummary(tx, query) };
    });
  }
}

async function readPage(tx: Tx, query: TransactionQuery) {
  if (query.projectIds.length === 0) return { values: [] };
  const wanted = query.limit + 1;
  const ties = await selectTies(tx, query, wanted);
  const older = ties.length < wanted ? await selectOlder(tx, query, wanted - ties.length) : [];
  const { shown, last } = cutPage([...ties, ...older], query.limit, sizeOfDocument);
  return {
    values: shown.map((row) => readDocument(TransactionSchema, row.doc)),
    ...(last && { next: { key: last.create_time, id: last.id } }),
  };
}

/** Selects the ties after a place, an index range of their own. */
async function selectTies(tx: Tx, query: TransactionQuery, limit: number) {
  const { after } = query;
  if (after === undefined) return [];
  return await tx.all(
    matching(build.selectFrom("transaction_record"), query)
      .select(["id", "create_time", "doc"])
      .where("create_time", "=", Number(after.key))
      .where("id", ">", after.id)
      .orderBy("id")
      .limit(limit),
  );
}

async function selectOlder(tx: Tx, query: TransactionQuery, limit: number) {
  const { after } = query;
  let select = matching(build.selectFrom("transaction_record"), query);
  if (after !== undefined) select = select.where("create_time", "<", Number(after.key));
  return await tx.all(
    select
      .select(["id", "create_time", "doc"])
      .orderBy("create_time", "desc")
      .orderBy("id")
      .limit(limit),
  );
}

/** Sums units in two halves, so that no 64-bit sum overflows. */
async function readSummary(
  tx: Tx,
  query: TransactionQuery,
): Promise<NonNullable<TransactionPage["summary"]>> {
  const revenue = new Map<string, Billionths>();
  if (query.projectIds.length === 0) return { totalCount: 0, revenue };
  const counts = await tx.all(
    matching(build.selectFrom("transaction_record"), query).select((eb) =>
      eb.fn.countAll<number>().as("count"),
    ),
  );
  const { count } = onlyRow(counts);
  const sums = await tx.all(
    matching(build.selectFrom("transaction_record"), query)
      .where("is_revenue", "=", 1)
      .select([
        "currency_code",
        sql<string>`cast(sum(units / 1000000000) as text)`.as("high"),
        sql<string>`cast(sum(units % 1000000000) as text)`.as("low"),
        sql<string>`cast(sum(nanos) as text)`.as("nanos"),
      ])
      .groupBy("currency_code")
      .orderBy("currency_code"),
  );
  for (const { currency_code, high, low, nanos } of sums) {
    const units = BigInt(high) * 1_000_000_000n + BigInt(low);
    revenue.set(currency_code, toBillionths(units, BigInt(nanos)));
  }
  return { totalCount: Number(count), revenue };
}

type Select<O> = SelectQueryBuilder<Schema, "transaction_record", O>;

function matching<O>(select: Select<O>, query: TransactionQuery): Select<O> {
  let matched = select.where("project_id", "in", [...query.projectIds]);
  for (const id of query.billingTransactionIds) {
    matched = matched.where("billing_transaction_id", "=", id);
  }
  return matched;
}
