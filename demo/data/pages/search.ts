import { BaseType } from "../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import type { PageRecord } from "../dataset-records.ts";
import { eventCard, posterCard, roundCard, tallThumbnail } from "./card.ts";
import type { PageBuilder } from "./page-builder.ts";

/** Creates the search page, which searches for the words in the page variable `q`. */
export function createSearchPage({ page, component }: PageBuilder): PageRecord {
  return page({ id: "page-search", slug: "search", title: { en: "Search", de: "Suche" } }, [
    component("rail-search-matches", "Matches found", {
      case: "rail",
      value: {
        type: BaseType.EVENT,
        title: { en: "Matches", de: "Spiele" },
        filter: "content_type: match",
        search: "{q}",
        card: eventCard,
      },
    }),
    component("rail-search-people", "Teams and players found", {
      case: "rail",
      value: {
        type: BaseType.ENTITY,
        title: { en: "Teams and players", de: "Teams und Spieler" },
        filter: "content_type: (team or player)",
        search: "{q}",
        card: roundCard,
      },
    }),
    component("grid-search", "All highlights", {
      case: "contentGrid",
      value: {
        source: {
          case: "inline",
          value: {
            type: "BASE_TYPE_CREATIVE_WORK",
            filter: "content_type: highlights",
            page_size: 12,
            card: posterCard,
            card_thumbnail: tallThumbnail,
          },
        },
      },
    }),
  ]);
}
