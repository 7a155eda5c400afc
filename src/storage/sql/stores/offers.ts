import { OfferSchema } from "../../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { ALL_VISIBILITIES } from "../../../domain/content/visibility.ts";
import { isOpen } from "../../../domain/content/window.ts";
import { opensVideo, type WatchedVideo } from "../../../domain/monetization/entitlement.ts";
import { VALUE_LENGTH } from "../../content/indexed-fields.ts";
import { toLeafKey } from "../../content/leaf-key.ts";
import type { VisibilityScope } from "../../contract/content-store.ts";
import type { OfferStore } from "../../contract/monetization.ts";
import type { Db } from "../../db/db.ts";
import { build } from "../../db/query.ts";
import { ConnectedStore } from "../base/connections.ts";
import { inReadTransaction } from "../base/in-transaction.ts";
import { BYTES, readDocuments } from "../base/read-documents.ts";

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
    return inReadTransaction(this.connections, projectId, async (tx) => {
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

/** How offers are read. */
export const OFFERS = { table: "offer", schema: OfferSchema } as const;

/** A video of a project. */
interface WatchedKey {
  readonly projectId: string;
  readonly videoId: string;
}

/** The most events, and the most creative works, that are searched for a video. */
const MOST_SHOWING = 10_000;

/** Finds the events and the creative works that show a video, with any visibility: the first 10,000 of each. */
export async function findWatched(db: Db, video: WatchedKey): Promise<WatchedVideo> {
  return {
    videoId: video.videoId,
    eventIds: await findShowing(db, "event", video),
    creativeWorkIds: await findShowing(db, "creative_work", video),
  };
}

async function findShowing(
  db: Db,
  kind: "creative_work" | "event",
  { projectId, videoId }: WatchedKey,
): Promise<ReadonlySet<string>> {
  const key = toLeafKey(videoId);
  const rows = await db.all(
    build
      .selectFrom("content_collection")
      .innerJoin("content_path as path", "path.collection", "content_collection.collection")
      .innerJoin("content_value as value", "value.path", "path.path")
      .innerJoin("content_leaf as leaf", (join) =>
        join.onRef("leaf.item", "=", "value.item").onRef("leaf.path", "=", "path.path"),
      )
      .select("value.id")
      .where("content_collection.project_id", "=", projectId)
      .where("content_collection.kind", "=", kind)
      .where("path.name", "=", "video_ids")
      // The columns of the primary key before `value` must be bound.
      .where("value.visibility", "in", ALL_VISIBILITIES)
      .where("value.value", "=", key.slice(0, VALUE_LENGTH))
      .where("leaf.key", "=", key)
      // Ids that are equal timestamps share a key, but not the text.
      .where((eb) => eb.or([eb("leaf.text", "is", null), eb("leaf.text", "=", videoId)]))
      .limit(MOST_SHOWING),
  );
  return new Set(rows.map(({ id }) => id));
}
