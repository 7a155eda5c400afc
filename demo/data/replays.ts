import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Event, EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { type Video, VideoSchema } from "../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { WORLD_CUP } from "../ids.ts";
import { REPLAY, REPLAY_TIME } from "../replay.ts";
import { matchId, matchKey, stadiumId, teamId } from "./ids.ts";
import { matchTitle, pictureOf, pictureUrl, roundName, seasonName } from "./wording.ts";
import { type Match, resultOf, type Score } from "./world-cup.ts";

/** The time of each replay with what is said before and after it, in milliseconds. */
const SLOT = 3 * 3_600_000;

/** The replays of the day and a half before the one that is on. */
const SHOWN = 12;

const CREATED = timestampFromMs(Date.parse("2026-06-01T09:00:00Z"));
const CHANNEL = "video-replay-channel";

/**
 * Creates the replays of a channel that repeats the matches in a loop, without a pause. At `REPLAY_TIME` the last match
 * begins; the matches before it have been shown, and the loop starts again after it.
 */
export function createReplays(matches: readonly Match[]): readonly Event[] {
  const loop = [...matches.slice(-SHOWN - 1), ...matches.slice(0, -SHOWN - 1)];
  return loop.map((match, index) => createReplay(match, REPLAY_TIME + (index - SHOWN) * SLOT));
}

/** Creates the live stream of the channel, which all replays share. */
export function createReplayChannel(): Video {
  return create(VideoSchema, {
    id: CHANNEL,
    projectId: WORLD_CUP,
    name: "World Cup replay, the channel",
    playlistUrl: `https://media.example/${WORLD_CUP}/${CHANNEL}/playlist.m3u8`,
    createTime: CREATED,
    updateTime: CREATED,
  });
}

/** Prints a result: `2:1`, `1:0 (extra time)` or `3:3 (4:2 on penalties)`. */
function printResult(match: Match): string {
  const print = ({ home, away }: Score) => `${home}:${away}`;
  const { extraTime, penalties } = match;
  if (penalties !== undefined)
    return `${print(resultOf(match))} (${print(penalties)} on penalties)`;
  return print(resultOf(match)) + (extraTime === undefined ? "" : " (extra time)");
}

function createReplay(match: Match, start: number): Event {
  const round = roundName(match);
  const season = seasonName(match.season);
  return create(EventSchema, {
    id: `replay-${matchKey(match)}`,
    projectId: WORLD_CUP,
    title: matchTitle(match),
    description: {
      en: `Replay: ${round.en} of the ${season.en}.`,
      de: `Wiederholung: ${round.de} der ${season.de}.`,
    },
    contentType: REPLAY,
    visibility: Visibility.PUBLISHED,
    startTime: timestampFromMs(start),
    endTime: timestampFromMs(start + SLOT),
    entityIds: [teamId(match.home), teamId(match.away), stadiumId(match.stadium)],
    videoIds: [CHANNEL],
    posterImageUrl: pictureUrl(pictureOf("match", match)),
    fields: {
      season: { id: REPLAY, name: "World Cup replay" },
      match: { id: matchId(match), season: match.season, round: match.round },
      result: printResult(match),
    },
    createTime: CREATED,
    updateTime: CREATED,
  });
}
