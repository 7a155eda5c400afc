import { create } from "@bufbuild/protobuf";
import { type Money, MoneySchema } from "../../gen/google/type/money_pb.ts";
import { Code, DomainError } from "./errors.ts";

/** An exact amount of money in billionths of the currency's unit. */
export type Billionths = bigint & { readonly unit?: "billionths" };

const PER_UNIT = 1_000_000_000n;
const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);

/** Adds units and nanos, as summed apart, to one exact amount; nanos carry over either way. */
export function toBillionths(units: bigint, nanos: bigint): Billionths {
  return units * PER_UNIT + nanos;
}

/**
 * Turns an exact amount into `google.type.Money`, whose units and nanos have the same sign.
 * OUT_OF_RANGE `AMOUNT_OUT_OF_RANGE` if the units do not fit 64 bits.
 */
export function toMoney(currencyCode: string, amount: Billionths): Money {
  const units = amount / PER_UNIT;
  if (units > MAX_INT64 || units < MIN_INT64) {
    throw new DomainError(
      Code.OUT_OF_RANGE,
      "AMOUNT_OUT_OF_RANGE",
      `an amount in ${currencyCode} is too large`,
      { metadata: { currency_code: currencyCode } },
    );
  }
  return create(MoneySchema, { currencyCode, units, nanos: Number(amount % PER_UNIT) });
}
