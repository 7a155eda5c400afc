import { timestampMs } from "@bufbuild/protobuf/wkt";
import { describe, expect, test } from "vitest";
import { createDemoDataset } from "../../demo/dataset.ts";
import type { Money } from "../../gen/google/type/money_pb.ts";
import {
  AccessPeriod,
  BillingPeriod,
  TransactionStatus,
} from "../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";

const records = createDemoDataset().transactions;
const transactions = records.map((record) => record.transaction);

function nanosOf(money: Money | undefined): bigint {
  if (money === undefined) throw new Error("an amount is missing");
  return money.units * 1_000_000_000n + BigInt(money.nanos);
}

test.each([
  ["worldcup", 3000],
  ["sandbox", 200],
  ["elsewhere", 100],
])("project %s has %i transactions", (projectId, want) => {
  expect(transactions.filter((it) => it.projectId === projectId)).toHaveLength(want);
});

describe("amounts", () => {
  test("add up exactly", () => {
    for (const it of transactions) {
      const subtotal = nanosOf(it.msrp) - nanosOf(it.discountAmount);
      expect(nanosOf(it.subtotalAmount), it.id).toBe(subtotal);
      expect(nanosOf(it.totalAmount), it.id).toBe(subtotal + nanosOf(it.vatAmount));
      const whole = nanosOf(it.msrp) * BigInt(it.discountPercentage * 10);
      const off = nanosOf(it.discountAmount) * 1000n - whole;
      expect(off * off <= 500_000_000_000n ** 2n, it.id).toBe(true);
      expect(it.discountCode === "", it.id).toBe(it.discountPercentage === 0);
    }
  });

  test("are in one currency each and in whole coins of it", () => {
    const coins = new Map([
      ["EUR", 10_000_000],
      ["USD", 10_000_000],
      ["GBP", 10_000_000],
      ["JPY", 1_000_000_000],
      ["KWD", 1_000_000],
    ]);
    const seen = new Set<string>();
    for (const it of transactions) {
      const amounts = [it.msrp, it.discountAmount, it.subtotalAmount, it.vatAmount, it.totalAmount];
      const currencies = new Set(amounts.map((money) => money?.currencyCode ?? ""));
      expect(currencies.size, it.id).toBe(1);
      for (const currency of currencies) {
        seen.add(currency);
        const coin = BigInt(coins.get(currency) ?? 0);
        for (const money of amounts) expect(nanosOf(money) % coin, it.id).toBe(0n);
      }
    }
    expect(seen).toEqual(new Set(coins.keys()));
  });

  test("use nanos, discounts and value added tax", () => {
    expect(transactions.some((it) => nanosOf(it.totalAmount) % 10_000_000n !== 0n)).toBe(true);
    expect(transactions.some((it) => it.discountPercentage === 12.5)).toBe(true);
    expect(transactions.some((it) => nanosOf(it.vatAmount) > 0n)).toBe(true);
    expect(transactions.some((it) => nanosOf(it.totalAmount) === 0n)).toBe(true);
  });
});

describe("progress", () => {
  test("is of every status and period", () => {
    const statuses = Object.values(TransactionStatus).filter((it) => typeof it === "number");
    expect(new Set(transactions.map((it) => it.status))).toEqual(new Set(statuses));
    expect(new Set(transactions.map((it) => it.billingPeriod))).toEqual(
      new Set([
        BillingPeriod.ONE_TIME,
        BillingPeriod.WEEK,
        BillingPeriod.MONTH,
        BillingPeriod.YEAR,
      ]),
    );
    expect(transactions.some((it) => it.accessPeriod === AccessPeriod.UNLIMITED)).toBe(true);
  });

  test("has a capture, after the start, exactly when the money was taken", () => {
    for (const { id, status, createTime, captureTime } of transactions) {
      const paid = status === TransactionStatus.CAPTURED || status === TransactionStatus.REFUNDED;
      expect(captureTime !== undefined, id).toBe(paid);
      if (createTime === undefined) throw new Error(`${id} has no create_time`);
      if (captureTime !== undefined) {
        expect(timestampMs(captureTime), id).toBeGreaterThan(timestampMs(createTime));
      }
    }
  });

  test("is a test in about one of twenty", () => {
    const share = transactions.filter((it) => it.isTest).length / transactions.length;
    expect(share).toBeGreaterThan(0.03);
    expect(share).toBeLessThan(0.07);
  });
});

test("create times lie in 2025 and 2026, some of them equal", () => {
  const times = transactions.map((it) => (it.createTime ? timestampMs(it.createTime) : 0));
  expect(new Set(times.map((time) => new Date(time).getUTCFullYear()))).toEqual(
    new Set([2025, 2026]),
  );
  expect(times.length - new Set(times).size).toBeGreaterThan(100);
});

test("billing ids are unique but for one that two transactions of a project share", () => {
  for (const own of Map.groupBy(records, (it) => it.transaction.projectId).values()) {
    const ids = new Set(own.map((record) => record.billingTransactionId));
    expect(own.length - ids.size).toBe(1);
    expect([...ids].every((id) => /^bill_\d{6}$/.test(id))).toBe(true);
  }
});
