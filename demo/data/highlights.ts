import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import {
  type CreativeWork,
  CreativeWorkSchema,
} from "../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { WORLD_CUP } from "../ids.ts";
import { highlightsId, highlightsVideoId, matchId, teamId } from "./ids.ts";
import { eventMinutes } from "./match-clock.ts";
import { toMatchFields } from "./matches.ts";
import { matchTitle, pictureOf, pictureUrl, roundName, seasonName } from "./wording.ts";
import type { Match } from "./world-cup.ts";

const MINUTE = 60_000;

/** Reports whether a match has highlights: only matches of the knock-out stage do. */
export function hasHighlights(match: Match): boolean {
  return match.group === "";
}

/** Creates the highlights of a match, released an hour after its end. */
export function createHighlights(match: Match): CreativeWork {
  const release = timestampFromMs(match.kickOff + (eventMinutes(match) + 60) * MINUTE);
  const title = matchTitle(match);
  const round = roundName(match);
  const season = seasonName(match.season);
  return create(CreativeWorkSchema, {
    id: highlightsId(match),
    projectId: WORLD_CUP,
    title: { en: `Highlights: ${title.en}`, de: `Höhepunkte: ${title.de}` },
    description: { en: `${round.en} of the ${season.en}.`, de: `${round.de} der ${season.de}.` },
    contentType: "highlights",
    visibility: Visibility.PUBLISHED,
    releaseTime: release,
    entityIds: [teamId(match.home), teamId(match.away)],
    videoIds: [highlightsVideoId(match)],
    posterImageUrl: pictureUrl(pictureOf("highlights", match), "2:3"),
    fields: { event_id: matchId(match), ...toMatchFields(match) },
    createTime: release,
    updateTime: release,
  });
}
