import { create } from "@bufbuild/protobuf";
import { type Money, MoneySchema } from "../../../gen/google/type/money_pb.ts";
import { Code, DomainError, type Reason } from "../base/errors.ts";
import { checkField } from "../base/field-errors.ts";
import { clip } from "../base/text.ts";

/** An exact amount of money in billionths of the currency unit. */
export type Billionths = bigint & { readonly unit?: "billionths" };

const PER_UNIT = 1_000_000_000n;
const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);

/** Combines separate sums of units and nanos into one exact amount; nanos may exceed a unit. */
export function toBillionths(units: bigint, nanos: bigint): Billionths {
  return units * PER_UNIT + nanos;
}

/**
 * Converts an exact amount to `google.type.Money`, whose units and nanos have the same sign. OUT_OF_RANGE
 * `AMOUNT_OUT_OF_RANGE` if the units do not fit 64 bits.
 */
export function toMoney(currencyCode: string, amount: Billionths): Money {
  const units = amount / PER_UNIT;
  if (units > MAX_INT64 || units < MIN_INT64) {
    throw new DomainError(
      Code.OUT_OF_RANGE,
      "AMOUNT_OUT_OF_RANGE",
      `an amount in ${currencyCode} does not fit 64 bits`,
      { metadata: { currency_code: currencyCode } },
    );
  }
  return create(MoneySchema, { currencyCode, units, nanos: Number(amount % PER_UNIT) });
}

/** The form of the currency codes of ISO 4217. */
const CURRENCY_CODE = /^[A-Z]{3}$/;

/**
 * Reads an amount that is not negative. INVALID_ARGUMENT with the given reason for a negative amount, a
 * currency code that is not three upper-case letters, and nanos outside 0 to 999,999,999.
 */
export function readAmount(
  { currencyCode, units, nanos }: Money,
  path: string,
  reason: Reason,
): Billionths {
  const description = `'${clip(currencyCode)}' must be an ISO 4217 code of three upper-case letters`;
  checkField(CURRENCY_CODE.test(currencyCode), `${path}.currency_code`, reason, description);
  checkField(units >= 0n, `${path}.units`, reason, "must not be negative");
  const isInRange = nanos >= 0 && nanos < Number(PER_UNIT);
  checkField(isInRange, `${path}.nanos`, reason, "must be between 0 and 999999999");
  return toBillionths(units, BigInt(nanos));
}

/** Returns the minor unit of a currency: a hundredth for EUR and unknown ones, a whole for JPY. */
export function minorUnit(currencyCode: string): Billionths {
  const format = new Intl.NumberFormat("en", { style: "currency", currency: currencyCode });
  const { maximumFractionDigits = 2 } = format.resolvedOptions();
  return PER_UNIT / 10n ** BigInt(maximumFractionDigits);
}
