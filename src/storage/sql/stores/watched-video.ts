import type { WatchedVideo } from "../../../domain/monetization/entitlement.ts";
import { VALUE_LENGTH } from "../../content/indexed-fields.ts";
import { toLeafKey } from "../../content/leaf-key.ts";
import type { Db } from "../../db/db.ts";
import { build } from "../../db/query.ts";

/** A video of a project. */
export interface VideoKey {
  readonly projectId: string;
  readonly videoId: string;
}

/** The most events, and the most creative works, that are searched for a video. */
const MOST_SHOWING = 10_000;

/** Finds the events and the creative works that show a video, with any visibility: the first 10,000 of each. */
export async function findWatched(db: Db, video: VideoKey): Promise<WatchedVideo> {
  return {
    videoId: video.videoId,
    eventIds: await findShowing(db, "event", video),
    creativeWorkIds: await findShowing(db, "creative_work", video),
  };
}

async function findShowing(
  db: Db,
  kind: "creative_work" | "event",
  { projectId, videoId }: VideoKey,
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
      .where("value.visibility", "in", VISIBILITIES)
      .where("value.value", "=", key.slice(0, VALUE_LENGTH))
      .where("leaf.key", "=", key)
      // Ids that are equal timestamps share a key, but not the text.
      .where((eb) => eb.or([eb("leaf.text", "is", null), eb("leaf.text", "=", videoId)]))
      .limit(MOST_SHOWING),
  );
  return new Set(rows.map(({ id }) => id));
}

/** Every visibility: the columns of the primary key before `value` must be bound. */
const VISIBILITIES = [0, 1, 2, 3];
