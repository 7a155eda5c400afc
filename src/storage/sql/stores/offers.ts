import { OfferSchema } from "../../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { isOpen } from "../../../domain/content/window.ts";
import { opensVideo } from "../../../domain/monetization/entitlement.ts";
import type { VisibilityScope } from "../../contract/content-store.ts";
import type { OfferStore } from "../../contract/monetization.ts";
import { build } from "../../db/query.ts";
import { ConnectedStore } from "../base/connections.ts";
import { inReadTransaction } from "../base/in-transaction.ts";
import { BYTES, readDocuments } from "../base/read-documents.ts";
import { findWatched } from "./watched-video.ts";

/** The most offers that are searched for a video, and their most bytes. */
const MOST_LOOKED_AT = { offers: 1_000, bytes: 16 * 1024 * 1024 };

/** Offers. */
export class SqlOfferStore extends ConnectedStore implements OfferStore {
  listOpening({
    videoId,
    limit,
    ...scope
  }: VisibilityScope & {
    readonly videoId: string;
    readonly limit: number;
  }): Promise<readonly string[]> {
    const { projectId, visibilities, at } = scope;
    return inReadTransaction(this.connections, async (tx) => {
      const watched = await findWatched(tx, { projectId, videoId });
      const rows = await tx.all(
        build
          .selectFrom("offer")
          .select(["id", BYTES])
          .where("project_id", "=", projectId)
          .where("visibility", "in", [...visibilities])
          .orderBy("position")
          .orderBy("id")
          .limit(MOST_LOOKED_AT.offers),
      );
      const ids: string[] = [];
      let looked = 0;
      for await (const { id, bytes, value } of readDocuments(tx, OFFERS, projectId, rows)) {
        const { opens, availability } = value;
        if (opens && opensVideo(opens, watched) && isOpen(availability, at)) ids.push(id);
        looked += bytes;
        if (ids.length === limit || looked > MOST_LOOKED_AT.bytes) break;
      }
      return ids;
    });
  }
}

const OFFERS = { table: "offer", schema: OfferSchema } as const;
