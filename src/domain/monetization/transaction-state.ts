import { clone } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import {
  type Transaction,
  TransactionSchema,
  TransactionStatus,
  TransactionStatusSchema,
} from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { Code, DomainError } from "../errors.ts";

const { PENDING, CAPTURED, FAILED, CANCELLED, REFUNDED } = TransactionStatus;

/**
 * The states that a purchase goes through:
 *
 *     PENDING ──► CAPTURED ──► REFUNDED
 *        ├──────► CANCELLED
 *        └──────► FAILED
 */
const NEXT: ReadonlyMap<TransactionStatus, readonly TransactionStatus[]> = new Map([
  [PENDING, [CAPTURED, CANCELLED, FAILED]],
  [CAPTURED, [REFUNDED]],
]);

/** What a purchase does that is to come into a state. */
export type Transition = "stays" | "moves" | "is_forbidden";

/** Decides what becomes of a purchase that is to come into a state: it stays if it is there already. */
export function decideTransition(from: TransactionStatus, to: TransactionStatus): Transition {
  if (from === to) return "stays";
  return NEXT.get(from)?.includes(to) ? "moves" : "is_forbidden";
}

/**
 * Lists the states that lead from one to another, the last included: none from a state to itself,
 * undefined if no way leads there.
 */
export function findWay(
  from: TransactionStatus,
  to: TransactionStatus,
): readonly TransactionStatus[] | undefined {
  if (from === to) return [];
  for (const next of NEXT.get(from) ?? []) {
    const rest = findWay(next, to);
    if (rest !== undefined) return [next, ...rest];
  }
  return undefined;
}

/** Puts a purchase into a state that it reached at a time; that of its capture is kept. */
export function moveTo(
  purchase: Transaction,
  status: TransactionStatus,
  time: Timestamp,
): Transaction {
  const moved = clone(TransactionSchema, purchase);
  moved.status = status;
  if (status === CAPTURED) moved.captureTime = time;
  return moved;
}

/**
 * Creates the failure of a purchase whose state does not lead to another: `TRANSACTION_STATE_FORBIDS`,
 * FAILED_PRECONDITION unless the caller is to try again.
 */
export function stateForbids(
  id: string,
  { from, to }: { readonly from: TransactionStatus; readonly to: TransactionStatus },
  code: Code = Code.FAILED_PRECONDITION,
): DomainError {
  const names = { from: nameOf(from), to: nameOf(to) };
  return new DomainError(
    code,
    "TRANSACTION_STATE_FORBIDS",
    `transaction ${id} is ${names.from}: that does not become ${names.to}`,
    { metadata: { transaction_id: id, ...names } },
  );
}

function nameOf(status: TransactionStatus): string {
  return TransactionStatusSchema.value[status]?.name ?? String(status);
}
