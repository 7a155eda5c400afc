import { BaseType } from "../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import type { PageRecord } from "../dataset-records.ts";
import { seasonName } from "../wording.ts";
import { posterCard, tallThumbnail } from "./card.ts";
import type { PageBuilder } from "./page-builder.ts";

/** Creates the page of all highlights: the final, a rail of what leaves soon, and a rail for each season. */
export function createAllHighlightsPage({ page, component }: PageBuilder): PageRecord {
  const title = { en: "All highlights", de: "Alle Höhepunkte" };
  return page({ id: "page-all-highlights", slug: "all-highlights", title }, [
    component("player-all-highlights", "The latest final", {
      case: "creativeWorkPlayer",
      value: { content: { case: "id", value: "highlights-2026-104" } },
    }),
    component("rail-leaving-soon", "Leaving soon", {
      case: "rail",
      value: {
        type: BaseType.CREATIVE_WORK,
        title: { en: "Leaving soon", de: "Nur noch kurz zu sehen" },
        filter: "content_type: highlights and availability.end_time < now+7d",
        order: "release_time desc",
        limit: 12,
        card: posterCard,
        cardThumbnail: tallThumbnail,
      },
    }),
    ...["2026", "2022", "2018"].map((season) =>
      component(`rail-highlights-${season}`, `Highlights of ${season}`, {
        case: "rail",
        value: {
          type: BaseType.CREATIVE_WORK,
          title: seasonName(season),
          filter: `content_type: highlights and fields.season.id: "${season}"`,
          order: "release_time desc",
          limit: 32,
          card: posterCard,
          cardThumbnail: tallThumbnail,
        },
      }),
    ),
  ]);
}
