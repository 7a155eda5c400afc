import type { Offer } from "../../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import { opensVideo } from "../../../domain/monetization/entitlement.ts";
import { VALUE_LENGTH } from "../../content/indexed-fields.ts";
import { toLeafKey } from "../../content/leaf-key.ts";
import type { Db } from "../../db/db.ts";
import { build } from "../../db/query.ts";

/** A video of a project. */
export interface VideoKey {
  readonly projectId: string;
  readonly videoId: string;
}

/**
 * Returns the offers, among the given ones, that grant access to a video: to everything, the video itself, or an
 * event or creative work that shows it, with any visibility.
 */
export async function findOpeningOffers<T extends Offer>(
  db: Db,
  offers: readonly T[],
  video: VideoKey,
): Promise<readonly T[]> {
  const { videoId } = video;
  const itself = { videoId, eventIds: new Set<string>(), creativeWorkIds: new Set<string>() };
  const others = offers.filter(({ opens }) => opens && !opensVideo(opens, itself));
  const idsOf = (field: "creativeWorkIds" | "eventIds") =>
    others.flatMap(({ opens }) => opens?.[field] ?? []);
  const watched = {
    videoId,
    eventIds: await findShowing(db, "event", idsOf("eventIds"), video),
    creativeWorkIds: await findShowing(db, "creative_work", idsOf("creativeWorkIds"), video),
  };
  return offers.filter(({ opens }) => opens && opensVideo(opens, watched));
}

/** The ids looked up per statement. Each scans the posting list of the video. */
const CHUNK = 10_000;

/** Finds the content, among the given ids, that shows a video. */
async function findShowing(
  db: Db,
  kind: "creative_work" | "event",
  ids: readonly string[],
  { projectId, videoId }: VideoKey,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const wanted = [...new Set(ids)];
  const key = toLeafKey(videoId);
  for (let at = 0; at < wanted.length; at += CHUNK) {
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
        .where("value.id", "in", wanted.slice(at, at + CHUNK))
        .where("leaf.key", "=", key)
        // Ids that are equal timestamps share a key, but not the text.
        .where((eb) => eb.or([eb("leaf.text", "is", null), eb("leaf.text", "=", videoId)])),
    );
    for (const { id } of rows) found.add(id);
  }
  return found;
}

/** Every visibility: the columns of the primary key before `value` must be bound. */
const VISIBILITIES = [0, 1, 2, 3];
