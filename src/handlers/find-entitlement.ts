import type { Coverage, EntitlementStore } from "../storage/playback-store.ts";
import type { ProtectedVideo } from "./protected-video.ts";

/** Finds what a user's entitlements at a time allow for a video; undefined: the user has none. */
export type FindEntitlement = (
  video: Pick<ProtectedVideo, "content" | "video">,
  userId: string,
  now: Date,
) => Promise<Coverage | undefined>;

/** Creates the search for entitlements in a store. */
export function createFindEntitlement(
  entitlements: Pick<EntitlementStore, "covers">,
): FindEntitlement {
  return ({ video, content }, userId, now) =>
    entitlements.covers({
      projectId: video.projectId,
      userId,
      now,
      videoId: video.id,
      eventIds: content.events.map(({ id }) => id),
      creativeWorkIds: content.creativeWorks.map(({ id }) => id),
    });
}
