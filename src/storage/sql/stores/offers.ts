import { type Offer, OfferSchema } from "../../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { cutPage, sizeOfDocument } from "../../../domain/base/cut-page.ts";
import type { VisibilityScope } from "../../contract/content-store.ts";
import type { OfferPage, OfferPlace, OfferStore } from "../../contract/offers.ts";
import type { VisibleIds } from "../../contract/stored-document.ts";
import { build } from "../../db/query.ts";
import { ConnectedStore } from "../base/connections.ts";
import { readDocument, readVisible } from "../base/stored-document.ts";
import { findOpeningOffers } from "./opening-offers.ts";

/** Maximum number of offers that are searched for a video, in total and at a time. */
const MOST_LOOKED_AT = 1_000;
const STEP = 100;

/** Offers. */
export class SqlOfferStore extends ConnectedStore implements OfferStore {
  getMany(key: VisibleIds): Promise<readonly Offer[]> {
    return readVisible(this.read, "offer", OfferSchema, key);
  }

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
