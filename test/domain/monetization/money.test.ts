import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { MoneySchema } from "../../../gen/google/type/money_pb.ts";
import { Code } from "../../../src/domain/errors.ts";
import {
  minorUnit,
  readAmount,
  toBillionths,
  toMoney,
} from "../../../src/domain/monetization/money.ts";

const MAX = 2n ** 63n - 1n;
const MIN = -(2n ** 63n);

describe("sums of units and nanos become one amount of money", () => {
  test.each<[bigint, bigint, bigint, number]>([
    [0n, 0n, 0n, 0],
    [1n, 500_000_000n, 1n, 500_000_000],
    [1n, 1_500_000_000n, 2n, 500_000_000],
    [1n, -1n, 0n, 999_999_999],
    [0n, -1n, 0n, -1],
    [-1n, -500_000_000n, -1n, -500_000_000],
    [-1n, 500_000_000n, 0n, -500_000_000],
    [-1n, 1_500_000_000n, 0n, 500_000_000],
    [-1n, 1_000_000_000n, 0n, 0],
    [2n, -3_000_000_001n, -1n, -1],
    [MAX, 999_999_999n, MAX, 999_999_999],
    [MAX + 1n, -1n, MAX, 999_999_999],
    [-MAX, -999_999_999n, -MAX, -999_999_999],
    [MIN, 0n, MIN, 0],
    [MIN, -999_999_999n, MIN, -999_999_999],
    [2n ** 53n + 1n, 0n, 2n ** 53n + 1n, 0],
  ])("%s and %s billionths", (units, nanos, wantUnits, wantNanos) => {
    const money = toMoney("EUR", toBillionths(units, nanos));
    expect([money.currencyCode, money.units, money.nanos]).toEqual(["EUR", wantUnits, wantNanos]);
  });

  test.each([
    [MAX, 1_000_000_000n],
    [MAX + 1n, 0n],
    [MIN, -1_000_000_000n],
    [MIN - 1n, 0n],
    [10n ** 30n, 0n],
  ] as const)("%s and %s billionths are too large", (units, nanos) => {
    expect(() => toMoney("USD", toBillionths(units, nanos))).toThrow(
      expect.objectContaining({
        code: Code.OUT_OF_RANGE,
        reason: "AMOUNT_OUT_OF_RANGE",
        metadata: { currency_code: "USD" },
      }),
    );
  });

  test("units and nanos never have different signs, and lose nothing", () => {
    const int64 = fc.bigInt({ min: MIN, max: MAX });
    fc.assert(
      fc.property(int64, fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), (units, nanos) => {
        const amount = toBillionths(units, nanos);
        fc.pre(amount / 1_000_000_000n >= MIN && amount / 1_000_000_000n <= MAX);
        const money = toMoney("EUR", amount);
        expect(money.units * 1_000_000_000n + BigInt(money.nanos)).toBe(units * 10n ** 9n + nanos);
        expect(Math.abs(money.nanos)).toBeLessThan(1_000_000_000);
        expect(Number(money.units) * money.nanos).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

describe("an amount that is sent is read exactly or refused at its part", () => {
  const at = { path: "price", reason: "PRICE_INVALID" };
  const cases: readonly (readonly [string, bigint, number, bigint | string])[] = [
    ["EUR", 0n, 0, 0n],
    ["EUR", 1n, 999_999_999, 1_999_999_999n],
    ["JPY", MAX, 0, MAX * 1_000_000_000n],
    ["", 1n, 0, "price.currency_code"],
    ["eur", 1n, 0, "price.currency_code"],
    ["EURO", 1n, 0, "price.currency_code"],
    ["EUR ", 1n, 0, "price.currency_code"],
    ["EUR", -1n, 0, "price.units"],
    ["EUR", 0n, -1, "price.nanos"],
    ["EUR", 0n, 1_000_000_000, "price.nanos"],
  ];
  test.each(cases)("%s %s %s", (currencyCode, units, nanos, want) => {
    const read = () => readAmount(create(MoneySchema, { currencyCode, units, nanos }), at);
    if (typeof want === "bigint") expect(read()).toBe(want);
    else {
      const fault = {
        code: Code.INVALID_ARGUMENT,
        reason: "PRICE_INVALID",
        fields: [{ field: want }],
      };
      expect(catchFault(read)).toMatchObject(fault);
    }
  });
});

test("the minor unit depends on the currency", () => {
  const coins = { EUR: 10_000_000n, JPY: 1_000_000_000n, KWD: 1_000_000n, XYZ: 10_000_000n };
  for (const [code, want] of Object.entries(coins)) expect(minorUnit(code)).toBe(want);
});

function catchFault(run: () => unknown): unknown {
  try {
    return run();
  } catch (fault) {
    return fault;
  }
}
