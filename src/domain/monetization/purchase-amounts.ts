import type { Money } from "../../../gen/google/type/money_pb.ts";
import type { Transaction } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { invalidField } from "../errors.ts";
import { type Billionths, readAmount, smallestCoin, toMoney } from "./money.ts";

/** The amounts of a purchase, all of them known. */
export type PurchaseAmounts = Record<
  "msrp" | "discountAmount" | "subtotalAmount" | "vatAmount" | "totalAmount",
  Money
>;

type Sent = Pick<Transaction, keyof PurchaseAmounts | "discountPercentage">;

const REASON = "AMOUNT_INVALID";

/**
 * Completes the amounts of a purchase at a price, so that `subtotal = msrp - discount` and
 * `total = subtotal + vat`. What was not sent follows from what was; a discount in percent is rounded
 * half up to the currency's smallest coin, and what nothing tells of is 0. INVALID_ARGUMENT
 * `AMOUNT_INVALID` for an amount that is negative, of another currency, or contradicts the others;
 * `VALUE_OUT_OF_RANGE` for a percentage outside 0 to 100.
 */
export function completeAmounts(sent: Sent, price: Money, path: string): PurchaseAmounts {
  const { currencyCode } = price;
  const percentage = readPercentage(sent.discountPercentage, path);
  const read = (name: string, money: Money | undefined): Billionths | undefined => {
    if (money === undefined) return undefined;
    const field = `${path}.${name}`;
    const amount = readAmount(money, { path: field, reason: REASON });
    if (money.currencyCode === currencyCode) return amount;
    throw invalidField(`${field}.currency_code`, REASON, `the price is in ${currencyCode}`);
  };
  const msrp = readAmount(price, { path: `${path}.offer_price_id`, reason: REASON });
  const subtotalSent = read("subtotal_amount", sent.subtotalAmount);
  const totalSent = read("total_amount", sent.totalAmount);
  const vatSent = read("vat_amount", sent.vatAmount);
  const discountSent = read("discount_amount", sent.discountAmount);
  const subtotalTold =
    subtotalSent ??
    (totalSent !== undefined && vatSent !== undefined ? totalSent - vatSent : undefined);

  const coin = smallestCoin(currencyCode);
  const byPercentage = share(msrp, percentage, coin);
  const discount =
    discountSent ?? (subtotalTold === undefined ? byPercentage : msrp - subtotalTold);
  const subtotal = msrp - discount;
  const vat = vatSent ?? (totalSent === undefined ? 0n : totalSent - subtotal);
  const total = subtotal + vat;

  const demand = (name: string, holds: boolean, description: string) => {
    if (!holds) throw invalidField(`${path}.${name}`, REASON, description);
  };
  const isSame = (amount: Billionths | undefined, want: Billionths) =>
    amount === undefined || amount === want;
  const off = discount > byPercentage ? discount - byPercentage : byPercentage - discount;
  demand("msrp", isSame(read("msrp", sent.msrp), msrp), "it is the amount of the price");
  demand("discount_amount", discount >= 0n, "the subtotal is higher than the price");
  demand("discount_amount", subtotal >= 0n, "it is higher than the price");
  demand("discount_percentage", percentage === 0n || off <= coin, "the discount is another");
  demand("subtotal_amount", isSame(subtotalSent, subtotal), "it is msrp - discount_amount");
  demand("vat_amount", vat >= 0n, "the total is lower than the subtotal");
  demand("total_amount", isSame(totalSent, total), "it is subtotal_amount + vat_amount");

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
  throw invalidField(`${path}.discount_percentage`, "VALUE_OUT_OF_RANGE", "it is 0 to 100");
}

/** So many millionths of a percent of an amount, rounded half up to whole coins. */
function share(amount: Billionths, percentage: bigint, coin: Billionths): Billionths {
  const whole = coin * 100n * BigInt(PER_PERCENT);
  return ((2n * amount * percentage + whole) / (2n * whole)) * coin;
}
