import type { Video } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { invalidField } from "../errors.ts";
import { compareTimes } from "../time.ts";
import { parsePlaylistAddress } from "./playlist-address.ts";

/**
 * Checks a video. INVALID_ARGUMENT `PLAYLIST_URL_INVALID` for a playlist URL that
 * {@link parsePlaylistAddress} rejects, `DURATION_INVALID` for a duration that is not positive.
 */
export function checkVideo({ playlistUrl, duration }: Video, path: string): void {
  if (playlistUrl !== "") {
    const address = parsePlaylistAddress(playlistUrl);
    if (address.kind === "invalid") {
      throw invalidField(`${path}.playlist_url`, "PLAYLIST_URL_INVALID", address.fault);
    }
  }
  if (duration !== undefined && compareTimes(duration, { seconds: 0n, nanos: 0 }) <= 0) {
    throw invalidField(`${path}.duration`, "DURATION_INVALID", "must be positive");
  }
}
