import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type Transaction,
  TransactionSchema,
  TransactionStatus,
  TransactionSummarySchema,
} from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import type { TransactionService } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import { parseKql, readEqualityFilter } from "../../domain/kql/index.ts";
import { toMoney } from "../../domain/monetization/money.ts";
import {
  decideTransition,
  moveTo,
  stateForbids,
} from "../../domain/monetization/transaction-state.ts";
import { MANAGEMENT_PAGE_SIZE, resolvePageSize } from "../../domain/paging.ts";
import type { TransactionPage, TransactionPlace } from "../../storage/transaction-store.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { checkUnbilled, readPurchase } from "./purchase.ts";
import { Resource, type ResourceParts } from "./resource.ts";

/** Creates the management handlers of transactions (contract: monetization 4). */
export function createTransactionHandlers(
  parts: ResourceParts,
): Handlers<typeof TransactionService, StudioCall> {
  const { pageTokens } = parts;
  const transactions = new Resource("transaction", parts);
  return {
    async listTransactions(request, call) {
      const { projectId, filter, includeSummary, pageToken } = request;
      const limit = resolvePageSize(request.pageSize, MANAGEMENT_PAGE_SIZE);
      const billingTransactionIds = readEqualityFilter(parseKql(filter), "billing_transaction_id");
      const { id, organizationId } = call.account;
      const binding = ["ListTransactions", organizationId, id, projectId, filter, includeSummary];
      const page = await call.store.transactions.list({
        projectIds: call.projectIds,
        billingTransactionIds,
        limit,
        withSummary: includeSummary,
        ...(pageToken !== "" && { after: toPlace(pageTokens.verify(pageToken, binding)) }),
      });
      const { next, summary } = page;
      return {
        transactions: [...page.transactions],
        nextPageToken: next ? pageTokens.sign([next.createTime, next.id], binding) : "",
        ...(summary && { summary: toSummary(summary) }),
      };
    },

    async createTransaction({ transaction, transactionId, billingTransactionId }, call) {
      const store = call.store;
      const sent = transaction ?? create(TransactionSchema);
      const purchase = await readPurchase(store, sent, "transaction");
      await checkUnbilled(store, purchase.projectId, billingTransactionId);
      const extra = { billingTransactionId };
      return { transaction: await transactions.create(call, purchase, transactionId, extra) };
    },

    async getTransaction({ transactionId }, call) {
      return { transaction: await transactions.get(call, transactionId) };
    },

    async captureTransaction({ transactionId }, call) {
      return { transaction: await move(call, transactionId, TransactionStatus.CAPTURED) };
    },

    async refundTransaction({ transactionId }, call) {
      return { transaction: await move(call, transactionId, TransactionStatus.REFUNDED) };
    },

    async cancelTransaction({ transactionId }, call) {
      return { transaction: await move(call, transactionId, TransactionStatus.CANCELLED) };
    },
  };
}

/** Moves a transaction to a state, unless it is in that state already. */
async function move(call: StudioCall, id: string, to: TransactionStatus): Promise<Transaction> {
  const { transaction } = call.store.documents;
  const checkIfMatch = call.readIfMatch();
  const current = await transaction.get(id);
  checkIfMatch(current);
  const from = current.value.status;
  const decision = decideTransition(from, to);
  if (decision === "is_forbidden") throw stateForbids(id, { from, to });
  const time = timestampFromDate(call.now);
  const stored =
    decision === "stays"
      ? current
      : await transaction.update(id, ({ value }) => moveTo(value, to, time));
  call.setEntityTag(stored);
  return stored.value;
}

function toPlace(position: readonly unknown[]): TransactionPlace {
  const [createTime, id] = position;
  return { createTime: Number(createTime), id: String(id) };
}

function toSummary({ totalCount, revenue }: NonNullable<TransactionPage["summary"]>) {
  return create(TransactionSummarySchema, {
    totalCount,
    totalRevenueByCurrency: Object.fromEntries(
      Array.from(revenue, ([currency, amount]) => [currency, toMoney(currency, amount)]),
    ),
  });
}
