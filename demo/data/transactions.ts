import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  BillingPeriod,
  TransactionSchema,
  TransactionStatus,
} from "../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { CURRENCIES, type Currency, toAmount } from "./currencies.ts";
import type { TransactionRecord } from "./dataset-records.ts";
import { type OfferTerms, offerPriceId } from "./offers.ts";
import { createRandom, type Random } from "./random.ts";

const FROM = Date.parse("2025-01-01T00:00:00Z");
const SECONDS = (Date.parse("2026-08-01T00:00:00Z") - FROM) / 1000;
const SHARED_BILLING = 40;
const SAME_MOMENT = 25;

const STATUSES = [
  { status: TransactionStatus.CAPTURED, weight: 78 },
  { status: TransactionStatus.PENDING, weight: 6 },
  { status: TransactionStatus.FAILED, weight: 6 },
  { status: TransactionStatus.REFUNDED, weight: 5 },
  { status: TransactionStatus.CANCELLED, weight: 4 },
  { status: TransactionStatus.UNSPECIFIED, weight: 1 },
];

/** Discounts in thousandths of the price. */
const DISCOUNTS = [
  { code: "", thousandths: 0n, weight: 70 },
  { code: "EARLYBIRD", thousandths: 100n, weight: 12 },
  { code: "EIGHTH", thousandths: 125n, weight: 6 },
  { code: "KICKOFF25", thousandths: 250n, weight: 8 },
  { code: "HALFTIME", thousandths: 500n, weight: 3 },
  { code: "GUEST", thousandths: 1000n, weight: 1 },
];

/** A series of transactions to create. */
export interface TransactionSeries {
  readonly projectId: string;
  /** The offers to buy. */
  readonly offers: readonly OfferTerms[];
  /** The number of the first one; ids continue from there and are unique across the dataset. */
  readonly first: number;
  readonly count: number;
}

/**
 * Creates transactions from 2025 to July 2026, deterministic for a series.
 *
 * Every 25th starts in the same second as its predecessor; the 41st has the billing id of the 40th, as in a
 * purchase of two offers.
 */
export function createTransactions(series: TransactionSeries): readonly TransactionRecord[] {
  const random = createRandom(series.first);
  const records: TransactionRecord[] = [];
  let createSecond = 0;
  for (let index = 0; index < series.count; index += 1) {
    const number = series.first + index;
    if (index === 0 || index % SAME_MOMENT !== 0) createSecond = random.below(SECONDS);
    const billingNumber = index === SHARED_BILLING ? number - 1 : number;
    records.push({
      billingTransactionId: `bill_${pad(billingNumber, 6)}`,
      transaction: create(TransactionSchema, {
        id: `txn-${pad(number, 6)}`,
        projectId: series.projectId,
        ...toPurchase(random, series, number),
        ...toProgress(random, FROM + createSecond * 1000),
      }),
    });
  }
  return records;
}

function toPurchase(random: Random, { projectId, offers }: TransactionSeries, number: number) {
  const offer = random.weighted(offers);
  const currency = random.weighted(CURRENCIES);
  const recurring = offer.billingPeriod !== BillingPeriod.ONE_TIME;
  return {
    offerId: offer.id,
    offerName: offer.name,
    offerTitle: offer.title.en,
    offerDescription: offer.description.en,
    offerPriceId: offerPriceId(offer, currency),
    billingPeriod: offer.billingPeriod,
    accessPeriod: offer.accessPeriod,
    userId: `user-${projectId}-${pad(1 + random.below(800), 4)}`,
    paymentMethodId: `card-${pad(1 + random.below(900), 4)}`,
    subscriptionId: recurring ? `sub-${pad(number, 6)}` : "",
    ...toAmounts(random, currency, offer.prices[currency.code]),
  };
}

function toAmounts(random: Random, currency: Currency, msrp: bigint) {
  const { code, thousandths } = random.weighted(DISCOUNTS);
  const discount = share(msrp, thousandths);
  const subtotal = msrp - discount;
  const vat = share(subtotal, currency.vat);
  return {
    msrp: toAmount(currency, msrp),
    discountAmount: toAmount(currency, discount),
    subtotalAmount: toAmount(currency, subtotal),
    vatAmount: toAmount(currency, vat),
    totalAmount: toAmount(currency, subtotal + vat),
    discountCode: code,
    discountPercentage: Number(thousandths) / 10,
  };
}

function toProgress(random: Random, createTime: number) {
  const { status } = random.weighted(STATUSES);
  const captured = createTime + (1 + random.below(900)) * 1000;
  const paid = status === TransactionStatus.CAPTURED || status === TransactionStatus.REFUNDED;
  return {
    status,
    createTime: timestampFromMs(createTime),
    ...(paid && { captureTime: timestampFromMs(captured) }),
    isTest: random.below(100) < 5,
  };
}

/** Returns thousandths of an amount, rounded half up to the smallest unit. */
function share(amount: bigint, thousandths: bigint): bigint {
  return (amount * thousandths + 500n) / 1000n;
}

function pad(number: number, digits: number): string {
  return String(number).padStart(digits, "0");
}
