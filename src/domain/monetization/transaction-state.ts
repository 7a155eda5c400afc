import { clone } from "@bufbuild/protobuf";
import type { Timestamp } from "@bufbuild/protobuf/wkt";
import {
  type Transaction,
  TransactionSchema,
  TransactionStatus,
  TransactionStatusSchema,
} from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { Code, DomainError } from "../base/errors.ts";
import { checkField } from "../base/field-errors.ts";
import { clip } from "../base/text.ts";

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

/** The type of a billing event, and the state that it reports. */
const EVENT_STATES: ReadonlyMap<unknown, TransactionStatus> = new Map([
  ["transaction.created", PENDING],
  ["transaction.captured", CAPTURED],
  ["transaction.refunded", REFUNDED],
  ["transaction.cancelled", CANCELLED],
  ["transaction.failed", FAILED],
]);

/** Returns the state that a billing event reports, by its type; undefined for an unknown type. */
export function findEventState(type: unknown): TransactionStatus | undefined {
  return EVENT_STATES.get(type);
}

/** The result of a requested state change. */
type Transition = "stays" | "moves" | "is_forbidden";

/** Decides whether a purchase may change to a state; it stays if it is already in that state. */
export function decideTransition(from: TransactionStatus, to: TransactionStatus): Transition {
  if (from === to) return "stays";
  return NEXT.get(from)?.includes(to) ? "moves" : "is_forbidden";
}

/** Lists the states on the path from one to another, excluding the first; undefined without a path. */
export function findPath(
  from: TransactionStatus,
  to: TransactionStatus,
): readonly TransactionStatus[] | undefined {
  if (from === to) return [];
  for (const next of NEXT.get(from) ?? []) {
    const rest = findPath(next, to);
    if (rest !== undefined) return [next, ...rest];
  }
  return undefined;
}

/** Returns a purchase in a state reached at a time, which is stored for CAPTURED. */
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
 * Creates the error `TRANSACTION_STATE_FORBIDS` for a forbidden state change; pass another code than
 * FAILED_PRECONDITION if the caller should retry.
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
    `transaction ${id} is ${names.from} and cannot become ${names.to}`,
    { metadata: { transaction_id: id, ...names } },
  );
}

function nameOf(status: TransactionStatus): string {
  return TransactionStatusSchema.value[status]?.name ?? String(status);
}

/** Checks that a transaction has a creation time, because lists are ordered by it; errors name fields below `path`. */
export function checkTransaction({ id, createTime }: Transaction, path: string): void {
  const description = `is required for transaction '${clip(id)}'`;
  checkField(createTime !== undefined, `${path}.create_time`, "CREATE_TIME_REQUIRED", description);
}
