import type { Transaction } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import type { Billionths } from "../../domain/monetization/money.ts";

/** Selects the transactions to list. */
export interface TransactionQuery {
  readonly projectIds: readonly string[];
  /** Must all equal the transaction's billing id; empty: every transaction matches. */
  readonly billingTransactionIds: readonly string[];
  readonly limit: number;
  /** Continues after this place. */
  readonly after?: TransactionPlace;
  readonly withSummary: boolean;
}

/** A place in the order of transactions: newest first, then id. */
export interface TransactionPlace {
  /** Microseconds since 1970. */
  readonly createTime: number;
  readonly id: string;
}

/** A page of transactions, and sums over all that match the query, from one snapshot. */
export interface TransactionPage {
  readonly transactions: readonly Transaction[];
  /** The last place of the page; absent if no more follow. */
  readonly next?: TransactionPlace;
  readonly summary?: {
    readonly totalCount: number;
    /** Sums of `total_amount` over captured non-test transactions, by currency code. */
    readonly revenue: ReadonlyMap<string, Billionths>;
  };
}

/** Transactions. */
export interface TransactionStore {
  /** Lists by time of creation, newest first, ties by id. */
  list(query: TransactionQuery): Promise<TransactionPage>;
}
