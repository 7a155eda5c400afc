import type { Offer, OfferPrice } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import {
  AccessPeriod,
  BillingPeriod,
} from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { checkField, checkNotNegative } from "../base/field-errors.ts";
import { clip } from "../base/text.ts";
import { checkAvailability } from "../content/window.ts";
import { readAmount } from "./money.ts";

const REASON = "PRICE_INVALID";

/**
 * Checks an offer. INVALID_ARGUMENT `PRICE_INVALID` for a price without a unique id, a valid amount or one
 * of its periods, `VALUE_OUT_OF_RANGE` for a negative number of streams, or `WINDOW_INVALID`.
 */
export function checkOffer(offer: Offer, path: string): void {
  const { prices, maxStreams } = offer;
  checkAvailability(offer, path);
  checkNotNegative(maxStreams, `${path}.max_streams`);
  const seen = new Set<string>();
  for (const [index, price] of prices.entries()) {
    const pricePath = `${path}.prices[${index}]`;
    checkPrice(price, pricePath);
    const description = `'${clip(price.id)}' is the id of another price of the offer`;
    checkField(!seen.has(price.id), `${pricePath}.id`, REASON, description);
    seen.add(price.id);
  }
}

function checkPrice({ id, amount, billingPeriod, accessPeriod }: OfferPrice, path: string): void {
  checkField(id.trim() !== "", `${path}.id`, REASON, "must not be blank");
  checkField(amount !== undefined, `${path}.amount`, REASON, "is required");
  readAmount(amount, `${path}.amount`, REASON);
  const hasBilling = billingPeriod !== BillingPeriod.UNSPECIFIED;
  checkField(hasBilling, `${path}.billing_period`, REASON, "is required");
  const hasAccess = accessPeriod !== AccessPeriod.UNSPECIFIED;
  checkField(hasAccess, `${path}.access_period`, REASON, "is required");
}
