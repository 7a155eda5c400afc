import type { Offer } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import type { VisibilityScope } from "./content-store.ts";
import type { VisibleIds } from "./stored-document.ts";

/** A place in the order of offers: by position, then id. */
export interface OfferPlace {
  readonly position: number;
  readonly id: string;
}

/** A page of offers. */
export interface OfferPage {
  readonly offers: readonly Offer[];
  /** The last place of the page; absent if no more follow. */
  readonly next?: OfferPlace;
}

/** Offers. */
export interface OfferStore {
  /** Returns the offers found among some ids, in unspecified order. */
  getMany(key: VisibleIds): Promise<readonly Offer[]>;
  /** Lists by position, then id. */
  list(
    place: VisibilityScope & {
      readonly limit: number;
      readonly after?: OfferPlace;
    },
  ): Promise<OfferPage>;
  /**
   * Lists the ids of offers that grant access to a video, or to an event or creative work that shows it. By position,
   * then id, at most `limit`, among the first 1,000 visible offers.
   */
  listOpening(
    scope: VisibilityScope & {
      readonly videoId: string;
      readonly limit: number;
    },
  ): Promise<readonly string[]>;
}
