import { PageObject } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { BaseType } from "../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import type { PageRecord } from "../dataset-records.ts";
import { pictureUrl } from "../wording.ts";
import { eventCard, posterCard, roundCard, tallThumbnail } from "./card.ts";
import type { PageBuilder } from "./page-builder.ts";

/** Creates the page of a match: its player, its teams, and the rest of its season. */
export function createMatchPage({ page, component }: PageBuilder): PageRecord {
  return page(
    {
      id: "page-match",
      slug: "match",
      title: { en: "Match", de: "Spiel" },
      parameters: ["id"],
      object: PageObject.EVENT,
    },
    [
      component("player-match", "Match player", {
        case: "eventPlayer",
        value: {
          content: { case: "id", value: "{id}" },
          persistProgress: true,
          backgroundImageUrl: pictureUrl("background-pitch"),
          info: {
            home_name: { keypath: "fields.home.name" },
            away_name: { keypath: "fields.away.name" },
            home_score: { keypath: "fields.score.home" },
            away_score: { keypath: "fields.score.away" },
          },
          timeline: { kind: "annotations", type_ids: ["type-goal", "type-kickoff"] },
        },
      }),
      component("rail-match-highlights", "Highlights of the match", {
        case: "rail",
        value: {
          type: BaseType.CREATIVE_WORK,
          title: { en: "Highlights", de: "Höhepunkte" },
          filter: "content_type: highlights and fields.event_id: {id}",
          hideByDefault: true,
          card: posterCard,
          cardThumbnail: tallThumbnail,
        },
      }),
      component("rail-match-players", "Players of both teams", {
        case: "rail",
        value: {
          type: BaseType.ENTITY,
          title: { en: "Players", de: "Spieler" },
          filter: "content_type: player and fields.team.id: {event.entity_ids}",
          order: "title.en asc",
          card: roundCard,
        },
      }),
      component("rail-match-season", "Other matches of the season", {
        case: "rail",
        value: {
          type: BaseType.EVENT,
          title: { en: "More of the season", de: "Mehr aus der Saison" },
          filter:
            "content_type: match and fields.season.id: {event.fields.season.id} and not id: {id}",
          order: "start_time asc",
          limit: 20,
          excludeGeoblocked: true,
          card: eventCard,
        },
      }),
      component("standings-match", "Standings", {
        case: "standings",
        value: { season_id: "2026", group_by: "group", columns: ["played", "goals", "points"] },
      }),
      component("text-match", "Note on the clock", {
        case: "text",
        value: {
          text: { en: "Kick-off in your time zone.", de: "Anstoß in deiner Zeitzone." },
        },
      }),
    ],
  );
}
