import { sql } from "kysely";
import {
  type Transaction,
  TransactionSchema,
} from "../../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { cutPage } from "../../../domain/base/paging.ts";
import type { WorkBudget } from "../../../domain/base/work-budget.ts";
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
import { createListBudget } from "../base/list-budget.ts";
import { BYTES, readInParts, type SizedRow } from "../base/read-documents.ts";
import { readDocument } from "../base/stored-document.ts";

/** Transactions. */
export class SqlTransactionStore extends ConnectedStore implements TransactionStore {
  list(query: TransactionQuery): Promise<TransactionPage> {
    const [first = ""] = query.projectIds;
    return inReadTransaction(this.connections, first, async (tx) => {
      const budget = createListBudget();
      const projectIds = await findSellers(tx, query, budget);
      const ofSellers = { ...query, projectIds };
      const page = await readPage(tx, ofSellers, budget);
      if (!query.withSummary) return page;
      return { ...page, summary: await readSummary(tx, ofSellers, budget) };
    });
  }
}

/** The number of projects that one statement names. */
const MOST_PROJECTS = 1_000;

/** Finds the projects of a query that have transactions; none if no transaction can match: it has one id of the billing provider. */
async function findSellers(
  tx: Tx,
  { projectIds, billingTransactionIds }: TransactionQuery,
  budget: WorkBudget,
): Promise<string[]> {
  const found: string[] = [];
  if (new Set(billingTransactionIds).size > 1) return found;
  const asked = [...new Set(projectIds)];
  if (asked.length === 1) return asked;
  for (let from = 0; from < asked.length; from += MOST_PROJECTS) {
    await budget.pace();
    const some = asked.slice(from, from + MOST_PROJECTS);
    const select = build.selectFrom("transaction_total").select("project_id").distinct();
    const rows = await tx.all(select.where("project_id", "in", some));
    found.push(...rows.map((row) => row.project_id));
  }
  return found;
}

/** The place of a transaction in the list, with the size of its document. */
interface Place extends SizedRow {
  readonly project_id: string;
  readonly create_time: number;
}

async function readPage(
  tx: Tx,
  query: TransactionQuery,
  budget: WorkBudget,
): Promise<TransactionPage> {
  const wanted = query.limit + 1;
  let places: readonly Place[] = [];
  // One project after the other, because the index has the order of each.
  for (const projectId of query.projectIds) {
    await budget.pace();
    const found = [
      ...(await selectTies(tx, projectId, query, wanted)),
      ...(await selectOlder(tx, projectId, query, wanted)),
    ];
    places = [...places, ...found].sort(compareNewest).slice(0, wanted);
  }
  const { shown, last } = cutPage(places, query.limit, ({ bytes }) => bytes);
  const values = new Map<string, Transaction>();
  for (const [projectId, ofProject] of Map.groupBy(shown, (it) => it.project_id)) {
    const select = build
      .selectFrom("transaction_record")
      .select(["id", "doc"])
      .where("project_id", "=", projectId);
    const read = (ids: readonly string[]) => tx.all(select.where("id", "in", [...ids]));
    for await (const rows of readInParts(ofProject, read, budget)) {
      for (const { id, doc } of rows) {
        values.set(`${projectId} ${id}`, readDocument(TransactionSchema, doc));
      }
    }
  }
  return {
    values: shown.flatMap((it) => values.get(`${it.project_id} ${it.id}`) ?? []),
    ...(last && { next: { key: last.create_time, id: last.id } }),
  };
}

function compareNewest(a: Place, b: Place): number {
  return b.create_time - a.create_time || compareCodePoints(a.id, b.id);
}

/** Selects the ties after a place, an index range of their own. */
async function selectTies(
  tx: Tx,
  projectId: string,
  query: TransactionQuery,
  limit: number,
): Promise<Place[]> {
  const { after } = query;
  if (after === undefined) return [];
  return await tx.all(
    selectMatching(projectId, query)
      .select(PLACE)
      .where("create_time", "=", Number(after.key))
      .where("id", ">", after.id)
      .orderBy("id")
      .limit(limit),
  );
}

async function selectOlder(
  tx: Tx,
  projectId: string,
  query: TransactionQuery,
  limit: number,
): Promise<Place[]> {
  const { after } = query;
  let select = selectMatching(projectId, query);
  if (after !== undefined) select = select.where("create_time", "<", Number(after.key));
  return await tx.all(
    select.select(PLACE).orderBy("create_time", "desc").orderBy("id").limit(limit),
  );
}

const PLACE = ["id", "project_id", "create_time", BYTES] as const;

async function readSummary(
  tx: Tx,
  query: TransactionQuery,
  budget: WorkBudget,
): Promise<NonNullable<TransactionPage["summary"]>> {
  const revenue = new Map<string, Billionths>();
  let totalCount = 0;
  for (const projectId of query.projectIds) {
    await budget.pace();
    for (const total of await readTotals(tx, projectId, query)) {
      totalCount += Number(total.count);
      if (Number(total.revenue_count) === 0) continue;
      const units = BigInt(total.high) * 1_000_000_000n + BigInt(total.low);
      const sum = toBillionths(units, BigInt(total.nanos));
      const { currency_code: currency } = total;
      revenue.set(currency, (revenue.get(currency) ?? 0n) + sum);
    }
  }
  const sorted = [...revenue].sort(([a], [b]) => compareCodePoints(a, b));
  return { totalCount, revenue: new Map(sorted) };
}

/**
 * Reads the totals that the database keeps. An id of the billing provider matches so few transactions that they are summed,
 * units in two halves, so that no 64-bit sum overflows.
 */
async function readTotals(tx: Tx, projectId: string, query: TransactionQuery) {
  const [billingId] = query.billingTransactionIds;
  if (billingId) {
    return tx.all(
      selectMatching(projectId, query)
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
    .where("project_id", "=", projectId);
  return tx.all(billingId === undefined ? select : select.where("is_billed", "=", 0));
}

function selectMatching(projectId: string, { billingTransactionIds }: TransactionQuery) {
  const [billingId] = billingTransactionIds;
  const ofProject = build.selectFrom("transaction_record").where("project_id", "=", projectId);
  return billingId === undefined
    ? ofProject
    : ofProject.where("billing_transaction_id", "=", billingId);
}
