import { create } from "@bufbuild/protobuf";
import { DurationSchema, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Video, VideoSchema } from "../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { WORLD_CUP } from "../ids.ts";
import { highlightsVideoId, matchVideoId } from "./ids.ts";
import { videoMinutes } from "./match-clock.ts";
import { matchTitle, seasonName } from "./wording.ts";
import type { Match } from "./world-cup.ts";

const MINUTE = 60_000;
const HIGHLIGHTS_MINUTES = 8;

/** Creates the recording of a whole match. */
export function createMatchVideo(match: Match): Video {
  return toVideo(matchVideoId(match), nameOf(match), match, videoMinutes(match));
}

/** Creates the video of a match's highlights. */
export function createHighlightsVideo(match: Match): Video {
  const name = `Highlights: ${nameOf(match)}`;
  return toVideo(highlightsVideoId(match), name, match, HIGHLIGHTS_MINUTES);
}

function nameOf(match: Match): string {
  return `${matchTitle(match).en}, ${match.round}, ${seasonName(match.season).en}`;
}

function toVideo(id: string, name: string, match: Match, minutes: number): Video {
  const recorded = timestampFromMs(match.kickOff + videoMinutes(match) * MINUTE);
  return create(VideoSchema, {
    id,
    projectId: WORLD_CUP,
    name,
    playlistUrl: `https://media.example/${WORLD_CUP}/${id}/playlist.m3u8`,
    duration: create(DurationSchema, { seconds: BigInt(minutes * 60) }),
    createTime: recorded,
    updateTime: recorded,
  });
}
