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
import { clip } from "../messages/clip.ts";
import { completeAmounts } from "./purchase-amounts.ts";

/**
 * Completes a transaction as a pending purchase of an offer. The price, periods and texts of the offer are
 * copied, so that later changes of the offer do not affect the purchase. INVALID_ARGUMENT `FIELD_REQUIRED` if
 * the offer has several prices and none is named, `PRICE_NOT_FOUND`, `PERIOD_INVALID` for a period that
 * differs from the price's, and the errors of {@link completeAmounts}.
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
  if (id === "" && prices.length > 1) {
    throw invalidField(field, "FIELD_REQUIRED", `is required: offer ${offerId} has several prices`);
  }
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
  if (billingPeriod !== BillingPeriod.UNSPECIFIED && billingPeriod !== price.billingPeriod) {
    const name = BillingPeriodSchema.value[price.billingPeriod]?.name;
    throw invalidField(`${path}.billing_period`, "PERIOD_INVALID", `must be ${name}, as the price`);
  }
  if (accessPeriod !== AccessPeriod.UNSPECIFIED && accessPeriod !== price.accessPeriod) {
    const name = AccessPeriodSchema.value[price.accessPeriod]?.name;
    throw invalidField(`${path}.access_period`, "PERIOD_INVALID", `must be ${name}, as the price`);
  }
}

/** Returns the English text or, without one, that of the first language in the order of their codes. */
function pickText(texts: Readonly<Record<string, string>>): string {
  const [first = ""] = Object.keys(texts).sort();
  return texts.en ?? texts[first] ?? "";
}
