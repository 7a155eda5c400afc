import { clone } from "@bufbuild/protobuf";
import type { Money } from "../../../gen/google/type/money_pb.ts";
import type { Offer, OfferPrice } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import {
  AccessPeriodSchema,
  BillingPeriodSchema,
  type Transaction,
  TransactionSchema,
  TransactionStatus,
} from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { checkField, invalidField } from "../base/field-errors.ts";
import { clip } from "../base/text.ts";
import { type Billionths, minorUnit, readAmount, toMoney } from "./money.ts";

/**
 * Completes a transaction as a pending purchase of an offer. The price, periods and texts of the offer are copied, so
 * that later changes of the offer do not affect the purchase. INVALID_ARGUMENT:
 * - `FIELD_REQUIRED`: the offer has several prices and none is named.
 * - `PRICE_NOT_FOUND`: the offer does not have the named price.
 * - `PERIOD_INVALID`: a period differs from the period of the price.
 * - The errors of {@link completeAmounts}.
 */
export function startPurchase(sent: Transaction, offer: Offer, path: string): Transaction {
  const price = choosePrice(sent.offerPriceId, offer, path);
  checkPeriods(sent, price, path);
  return Object.assign(clone(TransactionSchema, sent), {
    ...completeAmounts(sent, price.amount, path),
    status: TransactionStatus.PENDING,
    offerTitle: pickText(offer.title),
    offerDescription: pickText(offer.description),
    offerName: offer.name,
    offerPriceId: price.id,
    billingPeriod: price.billingPeriod,
    accessPeriod: price.accessPeriod,
  });
}

/** A price with an amount. */
type KnownPrice = OfferPrice & { readonly amount: NonNullable<OfferPrice["amount"]> };

function choosePrice(id: string, { id: offerId, prices }: Offer, path: string): KnownPrice {
  const field = `${path}.offer_price_id`;
  const isChosen = id !== "" || prices.length <= 1;
  const several = `is required: offer ${offerId} has several prices`;
  checkField(isChosen, field, "FIELD_REQUIRED", several);
  const price = id === "" ? prices[0] : prices.find((it) => it.id === id);
  if (price !== undefined && hasAmount(price)) return price;
  throw invalidField(
    field,
    "PRICE_NOT_FOUND",
    id === "" ? `offer ${offerId} has no price` : `offer ${offerId} has no price '${clip(id)}'`,
  );
}

function hasAmount(price: OfferPrice): price is KnownPrice {
  return price.amount !== undefined;
}

function checkPeriods(
  { billingPeriod, accessPeriod }: Transaction,
  price: OfferPrice,
  path: string,
): void {
  const check = (field: string, sent: number, wanted: number, name: string | undefined) => {
    const holds = sent === 0 || sent === wanted;
    checkField(holds, `${path}.${field}`, "PERIOD_INVALID", `must be ${name}, as the price`);
  };
  const billingName = BillingPeriodSchema.value[price.billingPeriod]?.name;
  check("billing_period", billingPeriod, price.billingPeriod, billingName);
  const accessName = AccessPeriodSchema.value[price.accessPeriod]?.name;
  check("access_period", accessPeriod, price.accessPeriod, accessName);
}

/** Returns the English text or, without one, the text of the first language in the order of their codes. */
function pickText(texts: Readonly<Record<string, string>>): string {
  const [first = ""] = Object.keys(texts).sort();
  return texts.en ?? texts[first] ?? "";
}

/** The complete amounts of a purchase. */
export type PurchaseAmounts = Record<
  "msrp" | "discountAmount" | "subtotalAmount" | "vatAmount" | "totalAmount",
  Money
>;

type Sent = Pick<Transaction, keyof PurchaseAmounts | "discountPercentage">;

const REASON = "AMOUNT_INVALID";

/**
 * Completes the amounts of a purchase at a price, so that `subtotal = msrp - discount` and `total = subtotal + vat`.
 * Missing amounts are derived from the others or default to 0. A discount in percent is rounded half up to the
 * currency's minor unit. INVALID_ARGUMENT:
 * - `AMOUNT_INVALID`: an amount is negative, in another currency, or inconsistent with the others.
 * - `VALUE_OUT_OF_RANGE`: a percentage is outside 0 to 100.
 */
export function completeAmounts(sent: Sent, price: Money, path: string): PurchaseAmounts {
  const { currencyCode } = price;
  const percentage = readPercentage(sent.discountPercentage, path);
  const read = (name: string, money: Money | undefined): Billionths | undefined => {
    if (money === undefined) return undefined;
    const field = `${path}.${name}`;
    const amount = readAmount(money, field, REASON);
    const isSame = money.currencyCode === currencyCode;
    const description = `must be ${currencyCode}, as the price`;
    checkField(isSame, `${field}.currency_code`, REASON, description);
    return amount;
  };
  const msrp = readAmount(price, `${path}.offer_price_id`, REASON);
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

  const check = (name: string, holds: boolean, description: string) =>
    checkField(holds, `${path}.${name}`, REASON, description);
  const isSame = (amount: Billionths | undefined, want: Billionths) =>
    amount === undefined || amount === want;
  const off = discount > byPercentage ? discount - byPercentage : byPercentage - discount;
  check("msrp", isSame(read("msrp", sent.msrp), msrp), "must be the amount of the price");
  const knownBy = subtotalSent === undefined ? "total_amount" : "subtotal_amount";
  check(knownBy, discount >= 0n, "must not make the subtotal exceed the price");
  check(
    discountSent === undefined ? knownBy : "discount_amount",
    subtotal >= 0n,
    "must not make the subtotal negative",
  );
  check("discount_percentage", percentage === 0n || off <= unit, "must match discount_amount");
  check("subtotal_amount", isSame(subtotalSent, subtotal), "must be msrp - discount_amount");
  check("total_amount", vat >= 0n, "must not be below the subtotal");
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
  const isInRange = percentage >= 0 && percentage <= 100;
  const field = `${path}.discount_percentage`;
  checkField(isInRange, field, "VALUE_OUT_OF_RANGE", "must be between 0 and 100");
  return BigInt(Math.round(percentage * PER_PERCENT));
}

/** Returns a percentage of an amount, in millionths of a percent, rounded half up to minor units. */
function percentageOf(amount: Billionths, percentage: bigint, unit: Billionths): Billionths {
  const whole = unit * 100n * BigInt(PER_PERCENT);
  return ((2n * amount * percentage + whole) / (2n * whole)) * unit;
}
