import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { TransactionSchema } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import {
  type Billionths,
  minorUnit,
  toBillionths,
  toMoney,
} from "../../../src/domain/monetization/money.ts";
import {
  completeAmounts,
  type PurchaseAmounts,
} from "../../../src/domain/monetization/purchase.ts";
import { rejection } from "../../harness/rejection.ts";

const NAMES = ["msrp", "discountAmount", "subtotalAmount", "vatAmount", "totalAmount"] as const;

const read = (amounts: PurchaseAmounts): Record<string, Billionths> =>
  Object.fromEntries(
    NAMES.map((name) => [name, toBillionths(amounts[name].units, BigInt(amounts[name].nanos))]),
  );

/** A purchase whose amounts are right, and which of them are sent. */
const purchases = fc
  .record({
    msrp: fc.bigInt(0n, 10n ** 20n),
    discountShare: fc.integer({ min: 0, max: 1_000 }),
    vat: fc.bigInt(0n, 10n ** 20n),
    sent: fc.subarray([...NAMES]),
  })
  .map(({ msrp, discountShare, vat, sent }) => {
    const discount = (msrp * BigInt(discountShare)) / 1_000n;
    const subtotal = msrp - discount;
    const whole = {
      ...{ msrp, discountAmount: discount, subtotalAmount: subtotal },
      ...{ vatAmount: vat, totalAmount: subtotal + vat },
    };
    // A total alone does not say what of it is discount and what is tax.
    const isDetermined = sent.some((name) => name !== "msrp" && name !== "totalAmount");
    return { whole, sent: isDetermined ? sent : [...sent, "discountAmount" as const] };
  });

const send = (whole: Readonly<Record<string, bigint>>, sent: readonly string[]) =>
  create(
    TransactionSchema,
    Object.fromEntries(sent.map((name) => [name, toMoney("EUR", whole[name] ?? 0n)])),
  );

test("every selection of right amounts is completed to right amounts that hold it", () => {
  fc.assert(
    fc.property(purchases, ({ whole, sent }) => {
      const got = read(
        completeAmounts(send(whole, sent), toMoney("EUR", whole.msrp), "transaction"),
      );
      for (const name of sent) expect(got[name]).toBe(whole[name]);
      expect(got.subtotalAmount).toBe((got.msrp ?? 0n) - (got.discountAmount ?? 0n));
      expect(got.totalAmount).toBe((got.subtotalAmount ?? 0n) + (got.vatAmount ?? 0n));
      for (const name of NAMES) expect(got[name]).toBeGreaterThanOrEqual(0n);
    }),
  );
});

test("completing complete amounts changes nothing", () => {
  fc.assert(
    fc.property(purchases, ({ whole, sent }) => {
      const price = toMoney("EUR", whole.msrp);
      const once = completeAmounts(send(whole, sent), price, "transaction");
      expect(completeAmounts(create(TransactionSchema, once), price, "transaction")).toEqual(once);
    }),
  );
});

test("of five right amounts none can be another", () => {
  fc.assert(
    fc.property(
      purchases,
      fc.constantFrom(...NAMES),
      fc.bigInt(1n, 10n ** 12n),
      ({ whole }, name, off) => {
        const wrong = send({ ...whole, [name]: whole[name] + off }, NAMES);
        expect(() => completeAmounts(wrong, toMoney("EUR", whole.msrp), "transaction")).toThrow(
          rejection("AMOUNT_INVALID"),
        );
      },
    ),
  );
});

test("a percentage and a discount must agree, to one minor unit", () => {
  const complete = (cents: bigint) =>
    completeAmounts(
      create(TransactionSchema, {
        discountPercentage: 10,
        discountAmount: toMoney("EUR", cents * minorUnit("EUR")),
      }),
      toMoney("EUR", 100n * toBillionths(1n, 0n)),
      "transaction",
    );
  for (const cents of [999n, 1_000n, 1_001n]) expect(() => complete(cents)).not.toThrow();
  for (const cents of [0n, 998n, 1_002n]) {
    expect(() => complete(cents)).toThrow(
      rejection("AMOUNT_INVALID", "transaction.discount_percentage"),
    );
  }
});

test("all of the price can be taken off", () => {
  const sent = create(TransactionSchema, { discountPercentage: 100 });
  const { subtotalAmount } = completeAmounts(sent, toMoney("EUR", minorUnit("EUR")), "transaction");
  expect(subtotalAmount).toEqual(toMoney("EUR", 0n));
});

test("a percentage is at most half a minor unit away from the exact discount", () => {
  fc.assert(
    fc.property(
      fc.constantFrom("EUR", "JPY", "KWD"),
      fc.bigInt(0n, 10n ** 9n),
      fc.integer({ min: 0, max: 100_000_000 }),
      (currency, coins, millionths) => {
        const coin = minorUnit(currency);
        const sent = create(TransactionSchema, { discountPercentage: millionths / 1_000_000 });
        const price = toMoney(currency, coins * coin);
        const { discountAmount = 0n } = read(completeAmounts(sent, price, "transaction"));
        const exact = coins * coin * BigInt(millionths);
        const off = discountAmount * 100_000_000n - exact;
        expect((off < 0n ? -off : off) * 2n).toBeLessThanOrEqual(coin * 100_000_000n);
        expect(discountAmount % coin).toBe(0n);
      },
    ),
  );
});
