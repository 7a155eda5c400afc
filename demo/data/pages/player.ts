import { PageObject } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { BaseType } from "../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import type { PageRecord } from "../dataset-records.ts";
import { pictureUrl } from "../wording.ts";
import { eventCard, roundCard } from "./card.ts";
import type { PageBuilder } from "./page-builder.ts";

/** Creates the page of a player: the profile, the team's matches and team-mates. */
export function createPlayerPage({ page, component }: PageBuilder): PageRecord {
  return page(
    {
      id: "page-player",
      slug: "player",
      title: { en: "Player", de: "Spieler" },
      parameters: ["id"],
      object: PageObject.ENTITY,
    },
    [
      component("profile-player", "Profile", {
        case: "playerProfile",
        value: {
          id: "{id}",
          name: { keypath: "title.en" },
          imageUrl: { keypath: "poster_image_url" },
          fallbackImageUrl: pictureUrl("player-unknown", "1:1"),
          gender: {
            keypath: "fields.gender",
            mapping: { MALE: { en: "Men", de: "Männer" }, FEMALE: { en: "Women", de: "Frauen" } },
          },
          jersey: { keypath: "fields.number" },
        },
      }),
      component("rail-player-matches", "Matches of the player's team in the season", {
        case: "rail",
        value: {
          type: BaseType.EVENT,
          title: { en: "Matches of the team", de: "Spiele des Teams" },
          filter:
            "content_type: match and entity_ids: {entity.fields.team.id} and fields.season.id: {entity.fields.season.id}",
          order: "start_time asc",
          card: eventCard,
        },
      }),
      component("rail-player-mates", "Team-mates", {
        case: "rail",
        value: {
          type: BaseType.ENTITY,
          title: { en: "Team-mates", de: "Mitspieler" },
          filter:
            "content_type: player and fields.team.id: {entity.fields.team.id} and not id: {id}",
          order: "title.en asc",
          card: roundCard,
        },
      }),
      component(
        "html-player",
        "Note below the profile",
        { case: "html", value: { html: "<p>Squads as of June 2026.</p>" } },
        { environments: ["web"] },
      ),
    ],
  );
}
