import type { Video } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { checkField } from "../base/field-errors.ts";
import { compareTimes, ZERO_TIME } from "../base/time.ts";
import { parsePlaylistUrl } from "./parse-playlist-url.ts";
import { checkAvailability } from "./window.ts";

/**
 * Checks a video. INVALID_ARGUMENT `PLAYLIST_URL_INVALID` for a playlist URL that
 * {@link parsePlaylistAddress} rejects, `DURATION_INVALID` for a duration that is not positive, or `WINDOW_INVALID`.
 */
export function checkVideo(video: Video, path: string): void {
  const { playlistUrl, duration } = video;
  if (playlistUrl !== "") {
    const parsed = parsePlaylistUrl(playlistUrl);
    const error = parsed.kind === "invalid" ? parsed.error : "";
    checkField(error === "", `${path}.playlist_url`, "PLAYLIST_URL_INVALID", error);
  }
  const isPositive = duration === undefined || compareTimes(duration, ZERO_TIME) > 0;
  checkField(isPositive, `${path}.duration`, "DURATION_INVALID", "must be positive");
  checkAvailability(video, path);
}
