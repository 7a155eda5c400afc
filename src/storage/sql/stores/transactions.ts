import { type SelectQueryBuilder, sql } from "kysely";
import { TransactionSchema } from "../../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import type { Schema } from "../../../../gen/tables.ts";
import { cutPage, sizeOfDocument } from "../../../domain/base/paging.ts";
import { compareCodePoints } from "../../../domain/kql/index.ts";
import { type Billionths, toBillionths } from "../../../domain/monetization/money.ts";
import type {
  TransactionPage,
  TransactionQuery,
  TransactionStore,
} from "../../contract/monetization.ts";
import type { Tx } from "../../db/db.ts";
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
  if (!mayMatch(query)) return { values: [] };
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

async function readSummary(
  tx: Tx,
  query: TransactionQuery,
): Promise<NonNullable<TransactionPage["summary"]>> {
  const revenue = new Map<string, Billionths>();
  let totalCount = 0;
  if (!mayMatch(query)) return { totalCount, revenue };
  for (const total of await readTotals(tx, query)) {
    totalCount += Number(total.count);
    if (Number(total.revenue_count) === 0) continue;
    const units = BigInt(total.high) * 1_000_000_000n + BigInt(total.low);
    const sum = toBillionths(units, BigInt(total.nanos));
    const { currency_code: currency } = total;
    revenue.set(currency, (revenue.get(currency) ?? 0n) + sum);
  }
  const sorted = [...revenue].sort(([a], [b]) => compareCodePoints(a, b));
  return { totalCount, revenue: new Map(sorted) };
}

/**
 * Reads the totals that the database keeps. An id of the billing provider matches so few transactions that they are summed,
 * units in two halves, so that no 64-bit sum overflows.
 */
async function readTotals(tx: Tx, query: TransactionQuery) {
  const [billingId] = query.billingTransactionIds;
  if (billingId) {
    return tx.all(
      matching(build.selectFrom("transaction_record"), query)
        .groupBy("currency_code")
        .select(({ fn }) => [
          "currency_code",
          fn.countAll<number>().as("count"),
          fn.sum<number>("is_revenue").as("revenue_count"),
          sql<string>`cast(sum(is_revenue * (units / 1000000000)) as text)`.as("high"),
          sql<string>`cast(sum(is_revenue * (units % 1000000000)) as text)`.as("low"),
          sql<string>`cast(sum(is_revenue * nanos) as text)`.as("nanos"),
        ]),
    );
  }
  const select = build
    .selectFrom("transaction_total")
    .select([
      ...(["currency_code", "count", "revenue_count"] as const),
      sql<string>`cast(high as text)`.as("high"),
      sql<string>`cast(low as text)`.as("low"),
      sql<string>`cast(nanos as text)`.as("nanos"),
    ])
    .where("project_id", "in", [...query.projectIds]);
  return tx.all(billingId === undefined ? select : select.where("is_billed", "=", 0));
}

/** Reports whether a query may match: a transaction has one id of the billing provider. */
function mayMatch({ projectIds, billingTransactionIds }: TransactionQuery): boolean {
  return projectIds.length > 0 && new Set(billingTransactionIds).size <= 1;
}

type Select<O> = SelectQueryBuilder<Schema, "transaction_record", O>;

function matching<O>(select: Select<O>, query: TransactionQuery): Select<O> {
  const [billingId] = query.billingTransactionIds;
  const matched = select.where("project_id", "in", [...query.projectIds]);
  return billingId === undefined
    ? matched
    : matched.where("billing_transaction_id", "=", billingId);
}
