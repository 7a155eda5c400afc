import { create } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import {
  TransactionSchema,
  TransactionStatus,
} from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import {
  checkTransaction,
  decideTransition,
  findPath,
  moveTo,
  stateForbids,
} from "../../../src/domain/monetization/transaction-state.ts";
import { rejection } from "../../harness/rejection.ts";

const { UNSPECIFIED, PENDING, CAPTURED, FAILED, CANCELLED, REFUNDED } = TransactionStatus;
const ALL = [UNSPECIFIED, PENDING, CAPTURED, FAILED, CANCELLED, REFUNDED] as const;

const MOVES: readonly (readonly [TransactionStatus, TransactionStatus])[] = [
  [PENDING, CAPTURED],
  [PENDING, FAILED],
  [PENDING, CANCELLED],
  [CAPTURED, REFUNDED],
];

describe("of all pairs of states only these move", () => {
  test.each(ALL)("from %s", (from) => {
    const want = ALL.map((to) => {
      if (from === to) return "stays";
      return MOVES.some(([a, b]) => a === from && b === to) ? "moves" : "is_forbidden";
    });
    expect(ALL.map((to) => decideTransition(from, to))).toEqual(want);
  });
});

test("a path includes every state between", () => {
  const cases = [
    [PENDING, PENDING, []],
    [PENDING, CAPTURED, [CAPTURED]],
    [PENDING, REFUNDED, [CAPTURED, REFUNDED]],
    [CAPTURED, REFUNDED, [REFUNDED]],
    [CAPTURED, PENDING, undefined],
    [CANCELLED, REFUNDED, undefined],
    [UNSPECIFIED, PENDING, undefined],
  ] as const;
  for (const [from, to, want] of cases) expect(findPath(from, to)).toEqual(want);
});

test("a move copies the purchase and records the time of a capture", () => {
  const [first, second] = [timestampFromMs(1_000), timestampFromMs(2_000)];
  const pending = create(TransactionSchema, { id: "t", status: PENDING });
  const captured = moveTo(pending, CAPTURED, first);
  const refunded = moveTo(captured, REFUNDED, second);
  expect([pending.status, captured.status, refunded.status]).toEqual([PENDING, CAPTURED, REFUNDED]);
  expect([pending.captureTime, captured.captureTime, refunded.captureTime]).toEqual([
    undefined,
    first,
    first,
  ]);
  expect(moveTo(pending, CANCELLED, first).captureTime).toBeUndefined();
});

test("the failure names both states", () => {
  const states = { from: CANCELLED, to: CAPTURED };
  expect(stateForbids("t-1", states)).toMatchObject({
    code: Code.FAILED_PRECONDITION,
    reason: "TRANSACTION_STATE_FORBIDS",
    message:
      "transaction t-1 is TRANSACTION_STATUS_CANCELLED and cannot become TRANSACTION_STATUS_CAPTURED",
    metadata: {
      transaction_id: "t-1",
      from: "TRANSACTION_STATUS_CANCELLED",
      to: "TRANSACTION_STATUS_CAPTURED",
    },
  });
  expect(stateForbids("t-1", states, Code.ABORTED).code).toBe(Code.ABORTED);
});

test("a transaction needs the time of its creation", () => {
  const check = (createTime?: Timestamp) => () =>
    checkTransaction(
      create(TransactionSchema, { id: "t", ...(createTime && { createTime }) }),
      "transaction",
    );
  expect(check(timestampFromMs(0))).not.toThrow();
  expect(check()).toThrow(rejection("CREATE_TIME_REQUIRED", "transaction.create_time"));
});
