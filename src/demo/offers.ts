import {
  AccessPeriod,
  BillingPeriod,
} from "../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";

/** A currency of the demo's prices. */
export interface Currency {
  readonly code: string;
  /** How many decimal places its smallest coin has: 2 for EUR, 0 for JPY, 3 for KWD. */
  readonly decimals: number;
  /** The rate of value added tax, in thousandths. */
  readonly vat: bigint;
  /** How often it is chosen, relative to the others. */
  readonly weight: number;
}

/** The currencies, with the tax of one of their countries. */
export const CURRENCIES = [
  { code: "EUR", decimals: 2, vat: 190n, weight: 45 },
  { code: "USD", decimals: 2, vat: 0n, weight: 25 },
  { code: "GBP", decimals: 2, vat: 200n, weight: 15 },
  { code: "JPY", decimals: 0, vat: 100n, weight: 10 },
  { code: "KWD", decimals: 3, vat: 0n, weight: 5 },
] as const satisfies readonly Currency[];

/** The code of one of the currencies. */
export type CurrencyCode = (typeof CURRENCIES)[number]["code"];

/** Something that viewers can buy. */
export interface Offer {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly billingPeriod: BillingPeriod;
  readonly accessPeriod: AccessPeriod;
  /** The price without tax, in the currency's smallest coin. */
  readonly prices: Readonly<Record<CurrencyCode, bigint>>;
  /** How often it is chosen, relative to the others. */
  readonly weight: number;
}

/** What the demo sells. */
export const OFFERS = [
  {
    id: "offer-day",
    name: "day-pass",
    title: "Day Pass",
    description: "Every match for a day",
    billingPeriod: BillingPeriod.ONE_TIME,
    accessPeriod: AccessPeriod.DAY,
    prices: { EUR: 399n, USD: 449n, GBP: 349n, JPY: 650n, KWD: 1_375n },
    weight: 20,
  },
  {
    id: "offer-week",
    name: "week-pass",
    title: "Week Pass",
    description: "Every match, paid by the week",
    billingPeriod: BillingPeriod.WEEK,
    accessPeriod: AccessPeriod.WEEK,
    prices: { EUR: 799n, USD: 899n, GBP: 699n, JPY: 1_300n, KWD: 2_750n },
    weight: 15,
  },
  {
    id: "offer-month",
    name: "month-pass",
    title: "Month Pass",
    description: "Every match and highlight, paid by the month",
    billingPeriod: BillingPeriod.MONTH,
    accessPeriod: AccessPeriod.MONTH,
    prices: { EUR: 1_499n, USD: 1_699n, GBP: 1_299n, JPY: 2_480n, KWD: 5_125n },
    weight: 40,
  },
  {
    id: "offer-year",
    name: "year-pass",
    title: "Year Pass",
    description: "Everything, paid by the year",
    billingPeriod: BillingPeriod.YEAR,
    accessPeriod: AccessPeriod.YEAR,
    prices: { EUR: 8_999n, USD: 9_999n, GBP: 7_999n, JPY: 14_800n, KWD: 30_625n },
    weight: 15,
  },
  {
    id: "offer-final",
    name: "final-forever",
    title: "The Final, for good",
    description: "The final to keep",
    billingPeriod: BillingPeriod.ONE_TIME,
    accessPeriod: AccessPeriod.UNLIMITED,
    prices: { EUR: 1_299n, USD: 1_399n, GBP: 1_099n, JPY: 2_100n, KWD: 4_499n },
    weight: 10,
  },
] as const satisfies readonly Offer[];
