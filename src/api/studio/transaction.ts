import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type Transaction,
  TransactionSchema,
  TransactionStatus,
  TransactionSummarySchema,
} from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { TransactionService } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import { blameField } from "../../domain/base/field-errors.ts";
import { STUDIO_PAGE_SIZE } from "../../domain/base/paging.ts";
import { parseKql, readEqualityFilter } from "../../domain/kql/index.ts";
import { toMoney } from "../../domain/monetization/money.ts";
import {
  decideTransition,
  moveTo,
  stateForbids,
} from "../../domain/monetization/transaction-state.ts";
import type { TransactionPage } from "../../storage/contract/monetization.ts";
import type { StudioService } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { checkUnbilled, readPurchase } from "./purchase.ts";
import { Resource, type StudioDependencies } from "./resource.ts";
import { implementKind } from "./standard-methods.ts";

/** Creates the Studio API service of transactions (contract: monetization 4). */
export function createTransactionService(dependencies: StudioDependencies): StudioService {
  const { pageTokens } = dependencies;
  const transactions = new Resource("transaction", dependencies);
  return implementKind(TransactionService, transactions, {
    async listTransactions(request, call) {
      const { projectId, filter, includeSummary } = request;
      const { id, organizationId } = call.account;
      const binding = ["ListTransactions", organizationId, id, projectId, filter, includeSummary];
      const page = pageTokens.open(request, STUDIO_PAGE_SIZE, binding);
      const billingTransactionIds = blameField("filter", () =>
        readEqualityFilter(parseKql(filter), "billing_transaction_id"),
      );
      const listed = await call.store.transactions.list({
        projectIds: call.projectIds,
        billingTransactionIds,
        limit: page.limit,
        withSummary: includeSummary,
        ...page.readPlace(),
      });
      const { values, next, summary } = listed;
      return {
        transactions: [...values],
        ...page.endAt(next),
        ...(summary && { summary: toSummary(summary) }),
      };
    },

    async createTransaction({ transaction, transactionId, billingTransactionId }, call) {
      const store = call.store;
      const sent = transaction ?? create(TransactionSchema);
      const purchase = await readPurchase(call.organization, sent, "transaction");
      await checkUnbilled(store, purchase.projectId, billingTransactionId);
      const extra = { billingTransactionId };
      return { transaction: await transactions.create(call, purchase, transactionId, extra) };
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
  });
}

/** Moves a transaction to a state, unless it is in that state already. */
async function move(call: StudioCall, id: string, to: TransactionStatus): Promise<Transaction> {
  const { transaction } = call.organization.documents;
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
  call.setETag(stored);
  return stored.value;
}

function toSummary({ totalCount, revenue }: NonNullable<TransactionPage["summary"]>) {
  return create(TransactionSummarySchema, {
    totalCount,
    totalRevenueByCurrency: Object.fromEntries(
      Array.from(revenue, ([currency, amount]) => [currency, toMoney(currency, amount)]),
    ),
  });
}
