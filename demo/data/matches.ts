import { create, type JsonObject } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type Event, EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { WORLD_CUP } from "../ids.ts";
import { matchId, matchVideoId, stadiumId, teamId } from "./ids.ts";
import { eventMinutes } from "./match-clock.ts";
import { matchTitle, pictureOf, pictureUrl, roundName, seasonName } from "./wording.ts";
import { type Match, resultOf, type Team, type Text, winnerOf } from "./world-cup.ts";

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;

/** Creates the published event of a match, without its result in title and description. */
export function createMatch(match: Match): Event {
  const endTime = match.kickOff + eventMinutes(match) * MINUTE;
  return create(EventSchema, {
    id: matchId(match),
    projectId: WORLD_CUP,
    title: matchTitle(match),
    description: describe(match),
    contentType: "match",
    visibility: Visibility.PUBLISHED,
    startTime: timestampFromMs(match.kickOff),
    endTime: timestampFromMs(endTime),
    entityIds: [teamId(match.home), teamId(match.away), stadiumId(match.stadium)],
    videoIds: [matchVideoId(match)],
    posterImageUrl: pictureUrl(pictureOf("match", match)),
    fields: toFields(match),
    createTime: timestampFromMs(match.kickOff - 180 * DAY),
    updateTime: timestampFromMs(endTime + 60 * MINUTE),
  });
}

/** Returns the season, round and teams of a match, as fields of its event and its highlights. */
export function toMatchFields(match: Match): JsonObject {
  return {
    season: { id: match.season, name: seasonName(match.season).en },
    round: match.round,
    stage: match.group === "" ? "knockout" : "group",
    home: toSide(match.home),
    away: toSide(match.away),
  };
}

function describe(match: Match): Text {
  const round = roundName(match);
  const season = seasonName(match.season);
  const { name, city } = match.stadium;
  return {
    en: `${round.en} of the ${season.en} at ${name}, ${city}.`,
    de: `${round.de} der ${season.de}, ${name}, ${city}.`,
  };
}

function toFields(match: Match): JsonObject {
  const { group, stadium, halfTime, fullTime, extraTime, penalties } = match;
  const winner = winnerOf(match);
  return {
    ...toMatchFields(match),
    number: match.number,
    ...(group !== "" && { group }),
    score: {
      ...resultOf(match),
      half_time: { ...halfTime },
      full_time: { ...fullTime },
      ...(extraTime && { extra_time: { ...extraTime } }),
      ...(penalties && { penalties: { ...penalties } }),
    },
    stadium: { id: stadiumId(stadium), name: stadium.name, city: stadium.city },
    winner: winner === undefined ? null : teamId(winner),
  };
}

function toSide(team: Team): JsonObject {
  return { id: teamId(team), name: team.name.en, code: team.code, flag: team.flag };
}
