import { PageObject } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { BannerCollectionGradient } from "../../../gen/svc/studio/ott/page_component/v2/banner_pb.ts";
import { BaseType } from "../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import type { PageRecord } from "../dataset-records.ts";
import { eventCard, posterCard, roundCard, tallThumbnail } from "./card.ts";
import type { PageBuilder } from "./page-builder.ts";

/** Creates the page of a team, with a banner and a calendar of the deprecated kinds. */
export function createTeamPage({ page, component }: PageBuilder): PageRecord {
  return page(
    {
      id: "page-team",
      slug: "team",
      title: { en: "Team", de: "Team" },
      parameters: ["id"],
      object: PageObject.ENTITY,
    },
    [
      component("banner-team", "Stage (deprecated kind)", {
        case: "bannerCollection",
        value: {
          id: "banners-teams",
          gradients: [BannerCollectionGradient.BOTTOM],
          heightFraction: 0.4,
          rotationIntervalSeconds: 6,
        },
      }),
      component(
        "rail-team-matches",
        "Matches of the team",
        {
          case: "rail",
          value: {
            type: BaseType.EVENT,
            title: { en: "Matches", de: "Spiele" },
            filter: 'content_type: match and entity_ids: "{id}"',
            order: "start_time desc",
            card: eventCard,
          },
        },
        { type: "content_carousel" },
      ),
      component("rail-team-players", "Squad", {
        case: "rail",
        value: {
          type: BaseType.ENTITY,
          title: { en: "Squad", de: "Kader" },
          filter: "content_type: player and fields.team.id: {id}",
          order: "title.en asc",
          limit: 26,
          hideByDefault: true,
          card: roundCard,
        },
      }),
      component("rail-team-highlights", "Highlights of the team", {
        case: "rail",
        value: {
          type: BaseType.CREATIVE_WORK,
          title: { en: "Highlights", de: "Höhepunkte" },
          filter: "content_type: highlights and entity_ids: {id}",
          order: "release_time desc",
          hideByDefault: true,
          card: posterCard,
          cardThumbnail: tallThumbnail,
        },
      }),
      component("calendar-team", "Calendar of the latest season (deprecated kind)", {
        case: "calendar",
        value: {
          filter: "entity_ids: {id} and fields.season.id: {entity.fields.season.id}",
          card: eventCard,
        },
      }),
    ],
  );
}
