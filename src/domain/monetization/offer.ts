import type { Offer, OfferPrice } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import {
  AccessPeriod,
  BillingPeriod,
} from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { invalidField } from "../errors.ts";
import { clip } from "../text.ts";
import { readAmount } from "./money.ts";

/**
 * Checks an offer. INVALID_ARGUMENT `PRICE_INVALID` for a price without a unique id, a valid amount or one
 * of its periods, `VALUE_OUT_OF_RANGE` for a negative number of streams.
 */
export function checkOffer({ prices, maxStreams }: Offer, path: string): void {
  if (maxStreams < 0) {
    throw invalidField(`${path}.max_streams`, "VALUE_OUT_OF_RANGE", "must not be negative");
  }
  const seen = new Set<string>();
  for (const [index, price] of prices.entries()) {
    const pricePath = `${path}.prices[${index}]`;
    checkPrice(price, pricePath);
    if (seen.has(price.id)) {
      throw invalidPrice(
        `${pricePath}.id`,
        `'${clip(price.id)}' is the id of another price of the offer`,
      );
    }
    seen.add(price.id);
  }
}

function checkPrice({ id, amount, billingPeriod, accessPeriod }: OfferPrice, path: string): void {
  if (id.trim() === "") throw invalidPrice(`${path}.id`, "must not be blank");
  if (amount === undefined) throw invalidPrice(`${path}.amount`, "is required");
  readAmount(amount, { path: `${path}.amount`, reason: "PRICE_INVALID" });
  if (billingPeriod === BillingPeriod.UNSPECIFIED) {
    throw invalidPrice(`${path}.billing_period`, "is required");
  }
  if (accessPeriod === AccessPeriod.UNSPECIFIED) {
    throw invalidPrice(`${path}.access_period`, "is required");
  }
}

function invalidPrice(field: string, description: string) {
  return invalidField(field, "PRICE_INVALID", description);
}
