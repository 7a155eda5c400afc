import type { Money } from "../../../gen/google/type/money_pb.ts";
import type { Transaction } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { invalidField } from "../errors.ts";
import { type Billionths, minorUnit, readAmount, toMoney } from "./money.ts";

/** The complete amounts of a purchase. */
export type PurchaseAmounts = Record<
  "msrp" | "discountAmount" | "subtotalAmount" | "vatAmount" | "totalAmount",
  Money
>;

type Sent = Pick<Transaction, keyof PurchaseAmounts | "discountPercentage">;

const REASON = "AMOUNT_INVALID";

/**
 * Completes the amounts of a purchase at a price, so that `subtotal = msrp - discount` and
 * `total = subtotal + vat`. Missing amounts are derived from the others or default to 0; a discount in
 * percent is rounded half up to the currency's minor unit. INVALID_ARGUMENT `AMOUNT_INVALID` for an amount
 * that is negative, in another currency, or inconsistent with the others; `VALUE_OUT_OF_RANGE` for a
 * percentage outside 0 to 100.
 */
export function completeAmounts(sent: Sent, price: Money, path: string): PurchaseAmounts {
  const { currencyCode } = price;
  const percentage = readPercentage(sent.discountPercentage, path);
  const read = (name: string, money: Money | undefined): Billionths | undefined => {
    if (money === undefined) return undefined;
    const field = `${path}.${name}`;
    const amount = readAmount(money, { path: field, reason: REASON });
    if (money.currencyCode === currencyCode) return amount;
    throw invalidField(`${field}.currency_code`, REASON, `must be ${currencyCode}, as the price`);
  };
  const msrp = readAmount(price, { path: `${path}.offer_price_id`, reason: REASON });
  const subtotalSent = read("subtotal_amount", sent.subtotalAmount);
  const totalSent = read("total_amount", sent.totalAmount);
  const vatSent = read("vat_amount", sent.vatAmount);
  const discountSent = read("discount_amount", sent.discountAmount);
  const subtotalKnown =
    subtotalSent ??
    (totalSent !== undefined && vatSent !== undefined ? totalSent - vatSent : undefined);

  const unit = minorUnit(currencyCode);
  const byPercentage = percentageOf(msrp, percentage, unit);
  const discount =
    discountSent ?? (subtotalKnown === undefined ? byPercentage : msrp - subtotalKnown);
  const subtotal = msrp - discount;
  const vat = vatSent ?? (totalSent === undefined ? 0n : totalSent - subtotal);
  const total = subtotal + vat;

  const check = (name: string, holds: boolean, description: string) => {
    if (!holds) throw invalidField(`${path}.${name}`, REASON, description);
  };
  const isSame = (amount: Billionths | undefined, want: Billionths) =>
    amount === undefined || amount === want;
  const off = discount > byPercentage ? discount - byPercentage : byPercentage - discount;
  check("msrp", isSame(read("msrp", sent.msrp), msrp), "must be the amount of the price");
  check("discount_amount", discount >= 0n, "would be negative: the subtotal exceeds the price");
  check("discount_amount", subtotal >= 0n, "must not exceed the price");
  check("discount_percentage", percentage === 0n || off <= unit, "must match discount_amount");
  check("subtotal_amount", isSame(subtotalSent, subtotal), "must be msrp - discount_amount");
  check("vat_amount", vat >= 0n, "would be negative: the total is below the subtotal");
  check("total_amount", isSame(totalSent, total), "must be subtotal_amount + vat_amount");

  const money = (amount: Billionths) => toMoney(currencyCode, amount);
  return {
    msrp: money(msrp),
    discountAmount: money(discount),
    subtotalAmount: money(subtotal),
    vatAmount: money(vat),
    totalAmount: money(total),
  };
}

/** Percentages are counted in millionths of a percent. */
const PER_PERCENT = 1_000_000;

function readPercentage(percentage: number, path: string): bigint {
  if (percentage >= 0 && percentage <= 100) return BigInt(Math.round(percentage * PER_PERCENT));
  throw invalidField(
    `${path}.discount_percentage`,
    "VALUE_OUT_OF_RANGE",
    "must be between 0 and 100",
  );
}

/** Returns a percentage of an amount, in millionths of a percent, rounded half up to minor units. */
function percentageOf(amount: Billionths, percentage: bigint, unit: Billionths): Billionths {
  const whole = unit * 100n * BigInt(PER_PERCENT);
  return ((2n * amount * percentage + whole) / (2n * whole)) * unit;
}
