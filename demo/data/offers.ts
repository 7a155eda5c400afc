import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type Offer,
  OfferSchema,
  type OfferScope,
} from "../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import {
  AccessPeriod,
  BillingPeriod,
} from "../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { WORLD_CUP } from "../ids.ts";
import { CURRENCIES, type Currency, type CurrencyCode, toAmount } from "./currencies.ts";
import type { Text } from "./world-cup.ts";

/** An offer of the demo. */
export interface OfferTerms {
  readonly id: string;
  readonly name: string;
  readonly title: Text;
  readonly description: Text;
  readonly billingPeriod: BillingPeriod;
  readonly accessPeriod: AccessPeriod;
  /** The price without tax, in the currency's smallest unit. */
  readonly prices: Readonly<Record<CurrencyCode, bigint>>;
  /** The content that it opens; absent: everything. */
  readonly eventIds?: readonly string[];
  /** The concurrent streams of a buyer; absent: the service's default. */
  readonly maxStreams?: number;
  /** The relative frequency of its choice. */
  readonly weight: number;
}

/** The offers of the demo. */
export const OFFERS = [
  {
    id: "offer-day",
    name: "day-pass",
    title: { en: "Day Pass", de: "Tagespass" },
    description: { en: "Every match for a day", de: "Jedes Spiel, einen Tag lang" },
    billingPeriod: BillingPeriod.ONE_TIME,
    accessPeriod: AccessPeriod.DAY,
    prices: { EUR: 399n, USD: 449n, GBP: 349n, JPY: 650n, KWD: 1_375n },
    maxStreams: 1,
    weight: 20,
  },
  {
    id: "offer-week",
    name: "week-pass",
    title: { en: "Week Pass", de: "Wochenpass" },
    description: { en: "Every match, paid by the week", de: "Jedes Spiel, wöchentlich bezahlt" },
    billingPeriod: BillingPeriod.WEEK,
    accessPeriod: AccessPeriod.WEEK,
    prices: { EUR: 799n, USD: 899n, GBP: 699n, JPY: 1_300n, KWD: 2_750n },
    maxStreams: 2,
    weight: 15,
  },
  {
    id: "offer-month",
    name: "month-pass",
    title: { en: "Month Pass", de: "Monatspass" },
    description: {
      en: "Every match and highlight, paid by the month",
      de: "Alle Spiele und Höhepunkte, monatlich bezahlt",
    },
    billingPeriod: BillingPeriod.MONTH,
    accessPeriod: AccessPeriod.MONTH,
    prices: { EUR: 1_499n, USD: 1_699n, GBP: 1_299n, JPY: 2_480n, KWD: 5_125n },
    maxStreams: 2,
    weight: 40,
  },
  {
    id: "offer-year",
    name: "year-pass",
    title: { en: "Year Pass", de: "Jahrespass" },
    description: { en: "Everything, paid by the year", de: "Alles, jährlich bezahlt" },
    billingPeriod: BillingPeriod.YEAR,
    accessPeriod: AccessPeriod.YEAR,
    prices: { EUR: 8_999n, USD: 9_999n, GBP: 7_999n, JPY: 14_800n, KWD: 30_625n },
    maxStreams: 4,
    weight: 15,
  },
  {
    id: "offer-final",
    name: "final-forever",
    title: { en: "The Final, for good", de: "Das Finale, für immer" },
    description: { en: "The final to keep", de: "Das Finale zum Behalten" },
    billingPeriod: BillingPeriod.ONE_TIME,
    accessPeriod: AccessPeriod.UNLIMITED,
    prices: { EUR: 1_299n, USD: 1_399n, GBP: 1_099n, JPY: 2_100n, KWD: 4_499n },
    eventIds: ["match-2026-104"],
    maxStreams: 1,
    weight: 10,
  },
] as const satisfies readonly OfferTerms[];

const DRAFT: OfferTerms = {
  id: "offer-season-draft",
  name: "season-pass",
  title: { en: "Season Pass", de: "Saisonpass" },
  description: { en: "Everything until next season", de: "Alles bis zur nächsten Saison" },
  billingPeriod: BillingPeriod.ONE_TIME,
  accessPeriod: AccessPeriod.YEAR,
  prices: { EUR: 6_999n, USD: 7_499n, GBP: 5_999n, JPY: 11_500n, KWD: 23_750n },
  weight: 0,
};

/** The distance between the positions of offers, which leaves room for others. */
const STEP = 10;
const CREATED = timestampFromDate(new Date("2025-01-01T00:00:00Z"));

/** Creates the offers of the World Cup; a hidden one is between the month and the year. */
export function createOffers(): readonly Offer[] {
  return [
    ...OFFERS.map((terms, index) => createOffer(WORLD_CUP, terms, (index + 1) * STEP)),
    { ...createOffer(WORLD_CUP, DRAFT, 3 * STEP + 5), visibility: Visibility.HIDDEN },
  ];
}

/** Creates a published offer. */
export function createOffer(projectId: string, terms: OfferTerms, position: number): Offer {
  const { id, name, title, description, billingPeriod, accessPeriod, prices } = terms;
  const { maxStreams = 0 } = terms;
  return create(OfferSchema, {
    id,
    projectId,
    name,
    title,
    description,
    prices: CURRENCIES.map((currency) => ({
      id: offerPriceId(terms, currency),
      amount: toAmount(currency, prices[currency.code]),
      billingPeriod,
      accessPeriod,
    })),
    opens: toScope(terms),
    position,
    visibility: Visibility.PUBLISHED,
    createTime: CREATED,
    updateTime: CREATED,
    maxStreams,
  });
}

/** Returns the id of an offer's price, as in transactions: `offer-day-eur`. */
export function offerPriceId({ id }: OfferTerms, { code }: Currency): string {
  return `${id}-${code.toLowerCase()}`;
}

function toScope({ eventIds }: OfferTerms): Partial<Pick<OfferScope, "everything" | "eventIds">> {
  return eventIds === undefined ? { everything: true } : { eventIds: [...eventIds] };
}
