import type { Video } from "../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import type { Coverage, EntitlementStore } from "../storage/playback-store.ts";

/** Finds what a user's entitlements allow for a video at a time; undefined: the user has none. */
export type FindEntitlement = (
  video: Pick<Video, "id" | "projectId">,
  userId: string,
  now: Date,
) => Promise<Coverage | undefined>;

/** Creates the search for entitlements in a store. */
export function createFindEntitlement(
  entitlements: Pick<EntitlementStore, "covers">,
): FindEntitlement {
  return ({ id: videoId, projectId }, userId, now) =>
    entitlements.covers({ projectId, userId, now, videoId });
}
