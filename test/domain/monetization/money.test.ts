import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { MoneySchema } from "../../../gen/google/type/money_pb.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import {
  minorUnit,
  readAmount,
  toBillionths,
  toMoney,
} from "../../../src/domain/monetization/money.ts";
import { openCases } from "../../harness/cases.ts";
import { errorOf, rejection } from "../../harness/rejection.ts";

const each = openCases("monetization/money");

const MAX = 2n ** 63n - 1n;
const MIN = -(2n ** 63n);

each<[string, string, string, number]>(
  "units and nanos become one amount of money",
  (units, nanos, wantUnits, wantNanos) => {
    const money = toMoney("EUR", toBillionths(BigInt(units), BigInt(nanos)));
    expect(money).toMatchObject({
      currencyCode: "EUR",
      units: BigInt(wantUnits),
      nanos: wantNanos,
    });
  },
);

each<[string, string]>("an amount is too large", (units, nanos) => {
  const metadata = { currency_code: "USD" };
  expect(() => toMoney("USD", toBillionths(BigInt(units), BigInt(nanos)))).toThrow(
    rejection("AMOUNT_OUT_OF_RANGE", undefined, { code: Code.OUT_OF_RANGE, metadata }),
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

const read = (currencyCode: string, units: string, nanos: number) =>
  readAmount(
    create(MoneySchema, { currencyCode, units: BigInt(units), nanos }),
    "price",
    "PRICE_INVALID",
  );

each<[string, string, number, string]>(
  "an amount that is sent is read exactly",
  (currency, units, nanos, want) => {
    expect(read(currency, units, nanos)).toBe(BigInt(want));
  },
);

each<[string, string, number, string]>(
  "an amount that is sent is rejected at its part",
  (currency, units, nanos, part) => {
    const error = errorOf(() => read(currency, units, nanos));
    expect(error).toMatchObject({
      ...{ code: Code.INVALID_ARGUMENT, reason: "PRICE_INVALID" },
      fields: [{ field: `price.${part}` }],
    });
  },
);

test("the minor unit depends on the currency", () => {
  const coins = { EUR: 10_000_000n, JPY: 1_000_000_000n, KWD: 1_000_000n, XYZ: 10_000_000n };
  for (const [code, want] of Object.entries(coins)) expect(minorUnit(code)).toBe(want);
});
