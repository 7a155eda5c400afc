import { PageObject } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { BaseType } from "../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import type { PageRecord } from "../dataset-records.ts";
import { posterCard, tallThumbnail } from "./card.ts";
import type { PageBuilder } from "./page-builder.ts";

/** Creates the page of a match's highlights. */
export function createHighlightsPage({ page, component }: PageBuilder): PageRecord {
  return page(
    {
      id: "page-highlights",
      slug: "highlights",
      title: { en: "Highlights", de: "Höhepunkte" },
      parameters: ["id"],
      object: PageObject.CREATIVE_WORK,
    },
    [
      component("player-highlights", "Highlights player", {
        case: "creativeWorkPlayer",
        value: { content: { case: "id", value: "{id}" }, autoplay: true },
      }),
      component("rail-highlights-season", "Other highlights of the season", {
        case: "rail",
        value: {
          type: BaseType.CREATIVE_WORK,
          title: { en: "More highlights", de: "Mehr Höhepunkte" },
          filter: "fields.season.id: {creative_work.fields.season.id} and not id: {id}",
          order: "release_time asc",
          card: posterCard,
          cardThumbnail: tallThumbnail,
        },
      }),
    ],
  );
}
