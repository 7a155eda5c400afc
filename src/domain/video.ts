import type { Video } from "../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { invalidField } from "./errors.ts";
import { isHttpUrl } from "./links.ts";

/**
 * Checks a video. INVALID_ARGUMENT `PLAYLIST_URL_INVALID` for a playlist that is no absolute http or https
 * URL, `DURATION_INVALID` for a duration that is not positive.
 */
export function checkVideo({ playlistUrl, duration }: Video, path: string): void {
  if (playlistUrl !== "" && !isHttpUrl(playlistUrl)) {
    throw invalidField(
      `${path}.playlist_url`,
      "PLAYLIST_URL_INVALID",
      "it is an absolute http or https URL",
    );
  }
  if (duration === undefined) return;
  const { seconds, nanos } = duration;
  if (seconds < 0n || nanos < 0 || (seconds === 0n && nanos === 0)) {
    throw invalidField(`${path}.duration`, "DURATION_INVALID", "it is longer than nothing");
  }
}
