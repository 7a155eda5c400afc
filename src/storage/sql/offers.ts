import { OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { build } from "../db/query.ts";
import type { OfferPlace, OfferStore } from "../delivery-store.ts";
import type { Connections } from "./connections.ts";
import { cutPage, sizeOfDocument } from "./cut-page.ts";
import { findOpeningOffers } from "./opening-offers.ts";
import { readDocument } from "./stored-document.ts";

/** The most offers searched for those that open a video, in total and at a time. */
const MOST_LOOKED_AT = 1_000;
const STEP = 100;

/** Creates the store of offers. */
export function createOfferStore({ read }: Connections): OfferStore {
  return {
    async getMany({ projectId, visibilities, ids }) {
      if (ids.length === 0) return [];
      const rows = await read.all(
        build
          .selectFrom("offer")
          .select("doc")
          .where("id", "in", [...ids])
          .where("project_id", "=", projectId)
          .where("visibility", "in", [...visibilities]),
      );
      return rows.map((row) => readDocument(OfferSchema, row.doc));
    },

    async list({ projectId, visibilities, limit, after }) {
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
      const rows = await read.all(
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
    },

    async listOpening({ videoId, limit, ...scope }) {
      const found: string[] = [];
      let after: OfferPlace | undefined;
      for (let looked = 0; looked < MOST_LOOKED_AT && found.length < limit; looked += STEP) {
        const page = await this.list({ ...scope, limit: STEP, ...(after && { after }) });
        const video = { projectId: scope.projectId, videoId };
        found.push(...(await findOpeningOffers(read, page.offers, video)).map(({ id }) => id));
        after = page.next;
        if (after === undefined) break;
      }
      return found.slice(0, limit);
    },
  };
}
