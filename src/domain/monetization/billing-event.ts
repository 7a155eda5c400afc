import { TransactionStatus } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";

const STATES: ReadonlyMap<unknown, TransactionStatus> = new Map([
  ["transaction.created", TransactionStatus.PENDING],
  ["transaction.captured", TransactionStatus.CAPTURED],
  ["transaction.refunded", TransactionStatus.REFUNDED],
  ["transaction.cancelled", TransactionStatus.CANCELLED],
  ["transaction.failed", TransactionStatus.FAILED],
]);

/** Finds the state that a purchase reached by the type of a billing event; undefined: an unknown type. */
export function findEventState(type: unknown): TransactionStatus | undefined {
  return STATES.get(type);
}
