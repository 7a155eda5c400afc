import { create } from "@bufbuild/protobuf";
import type { ServiceImpl } from "@connectrpc/connect";
import { TransactionSummarySchema } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import type { TransactionService } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import { getAccount, getProjectIds } from "../../auth/caller.ts";
import { parseKql, readEqualityFilter } from "../../domain/kql/index.ts";
import { toMoney } from "../../domain/money.ts";
import type { PageTokens } from "../../domain/page-token.ts";
import { MANAGEMENT_PAGE_SIZE, resolvePageSize } from "../../domain/paging.ts";
import type { TransactionPage, TransactionPlace, TransactionStore } from "../../storage/store.ts";

/** Creates the management handlers of transactions (SPEC List transactions). */
export function createTransactionHandlers(
  transactions: TransactionStore,
  pageTokens: PageTokens,
): ServiceImpl<typeof TransactionService> {
  return {
    async listTransactions(request, context) {
      const { projectId, filter, includeSummary, pageToken } = request;
      const limit = resolvePageSize(request.pageSize, MANAGEMENT_PAGE_SIZE);
      const billingTransactionIds = readEqualityFilter(parseKql(filter), "billing_transaction_id");
      const accountId = getAccount(context.values).id;
      const binding = ["ListTransactions", accountId, projectId, filter, includeSummary];
      const page = await transactions.list({
        projectIds: getProjectIds(context.values),
        billingTransactionIds,
        limit,
        withSummary: includeSummary,
        ...(pageToken !== "" && { after: toPlace(pageTokens.open(pageToken, binding)) }),
      });
      const { next, summary } = page;
      return {
        transactions: [...page.transactions],
        nextPageToken: next ? pageTokens.seal([next.createTime, next.id], binding) : "",
        ...(summary && { summary: toSummary(summary) }),
      };
    },
  };
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
