import { type Offer, OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { cutPage, sizeOfDocument } from "../../domain/base/cut-page.ts";
import { build } from "../db/query.ts";
import type { VisibilityScope } from "../delivery-store.ts";
import { ConnectedStore } from "./connections.ts";
import { findOpeningOffers } from "./opening-offers.ts";
import { readDocument, readVisible, type VisibleIds } from "./stored-document.ts";

/** Maximum number of offers that are searched for a video, in total and at a time. */
const MOST_LOOKED_AT = 1_000;
const STEP = 100;

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
export class OfferStore extends ConnectedStore {
  /** Returns the offers found among some ids, in unspecified order. */
  getMany(key: VisibleIds): Promise<readonly Offer[]> {
    return readVisible(this.read, "offer", OfferSchema, key);
  }

  /** Lists by position, then id. */
  async list({
    projectId,
    visibilities,
    limit,
    after,
  }: VisibilityScope & {
    readonly limit: number;
    readonly after?: OfferPlace;
  }): Promise<OfferPage> {
    let select = build
      .selectFrom("offer")
      .select(["id", "position", "doc"])
      .where("project_id", "=", projectId)
      .where("visibility", "in", [...visibilities]);
    if (after !== undefined) {
      select = select.where((eb) =>
        eb(eb.refTuple("position", "id"), ">", eb.tuple(after.position, after.id)),
      );
    }
    const rows = await this.read.all(
      select
        .orderBy("position")
        .orderBy("id")
        .limit(limit + 1),
    );
    const { shown, last } = cutPage(rows, limit, sizeOfDocument);
    return {
      offers: shown.map((row) => readDocument(OfferSchema, row.doc)),
      ...(last && { next: { position: last.position, id: last.id } }),
    };
  }

  /**
   * Lists the ids of offers that grant access to a video, or to an event or creative work that shows it. By position,
   * then id, at most `limit`, among the first 1,000 visible offers.
   */
  async listOpening({
    videoId,
    limit,
    ...scope
  }: VisibilityScope & {
    readonly videoId: string;
    readonly limit: number;
  }): Promise<readonly string[]> {
    const ids: string[] = [];
    let after: OfferPlace | undefined;
    for (let looked = 0; looked < MOST_LOOKED_AT && ids.length < limit; looked += STEP) {
      const page = await this.list({ ...scope, limit: STEP, ...(after && { after }) });
      const video = { projectId: scope.projectId, videoId };
      ids.push(...(await findOpeningOffers(this.read, page.offers, video)).map(({ id }) => id));
      after = page.next;
      if (after === undefined) break;
    }
    return ids.slice(0, limit);
  }
}
