import { clone } from "@bufbuild/protobuf";
import type { Offer, OfferPrice } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import {
  AccessPeriod,
  AccessPeriodSchema,
  BillingPeriod,
  BillingPeriodSchema,
  type Transaction,
  TransactionSchema,
  TransactionStatus,
} from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { invalidField } from "../errors.ts";
import { completeAmounts } from "./purchase-amounts.ts";

/**
 * Makes what was sent a pending purchase of an offer: its price, its periods and its texts are copied, so
 * that the purchase tells what was bought when the offer has long changed. INVALID_ARGUMENT `FIELD_REQUIRED`
 * for no price of several, `PRICE_NOT_FOUND`, `PERIOD_INVALID` for a period that is not the price's, and what
 * {@link completeAmounts} throws.
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

/** A price that says how much. */
type KnownPrice = OfferPrice & { readonly amount: NonNullable<OfferPrice["amount"]> };

function choosePrice(id: string, { id: offerId, prices }: Offer, path: string): KnownPrice {
  const field = `${path}.offer_price_id`;
  if (id === "" && prices.length > 1) {
    throw invalidField(field, "FIELD_REQUIRED", `offer ${offerId} has several prices`);
  }
  const price = id === "" ? prices[0] : prices.find((it) => it.id === id);
  if (price !== undefined && hasAmount(price)) return price;
  throw invalidField(
    field,
    "PRICE_NOT_FOUND",
    id === "" ? `offer ${offerId} has no price` : `offer ${offerId} has no price ${id}`,
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
  if (billingPeriod !== BillingPeriod.UNSPECIFIED && billingPeriod !== price.billingPeriod) {
    const name = BillingPeriodSchema.value[price.billingPeriod]?.name;
    throw invalidField(`${path}.billing_period`, "PERIOD_INVALID", `that of the price is ${name}`);
  }
  if (accessPeriod !== AccessPeriod.UNSPECIFIED && accessPeriod !== price.accessPeriod) {
    const name = AccessPeriodSchema.value[price.accessPeriod]?.name;
    throw invalidField(`${path}.access_period`, "PERIOD_INVALID", `that of the price is ${name}`);
  }
}

/** Picks English, or else the first language by its code: who does the accounts reads one. */
function pickText(texts: Readonly<Record<string, string>>): string {
  const [first = ""] = Object.keys(texts).sort();
  return texts.en ?? texts[first] ?? "";
}
