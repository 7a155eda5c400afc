import {
  BannerCollectionV2SizeStrategy,
  BannerCollectionV2TransitionEffect,
} from "../../../gen/svc/studio/ott/page_component/v2/banner_pb.ts";
import { BorderRadius } from "../../../gen/svc/studio/ott/page_component/v2/border_radius_pb.ts";
import type { PageComponent } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { BaseType } from "../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { REPLAY } from "../../replay.ts";
import type { PageRecord } from "../dataset-records.ts";
import { OFFERS } from "../offers.ts";
import { pictureUrl } from "../wording.ts";
import type { Text } from "../world-cup.ts";
import {
  eventCard,
  posterCard,
  resultCard,
  roundCard,
  tallThumbnail,
  wideThumbnail,
} from "./card.ts";
import type { PageBuilder } from "./page-builder.ts";

/** The clauses of the page's filter, by session key. */
const NARROWED = {
  season: "fields.season.id: {season}",
  stage: "fields.stage: {stage}",
  team: "entity_ids: {team.ids}",
};

/** Creates the home page: banners, the replays of today, matches with a filter, a calendar, highlights and offers. */
export function createHomePage(builder: PageBuilder): PageRecord {
  return builder.page({ id: "page-home", slug: "home", title: { en: "Home", de: "Start" } }, [
    ...createTop(builder),
    ...createSchedule(builder),
    ...createMatches(builder),
    ...createMore(builder),
    ...createEnd(builder),
  ]);
}

function createTop({ component }: PageBuilder): readonly PageComponent[] {
  return [
    component("banner-home", "Stage", {
      case: "bannerCollectionV2",
      value: {
        id: "banners-home",
        transitionEffect: BannerCollectionV2TransitionEffect.FADE,
        transitionIntervalSeconds: 8,
        sizeStrategy: BannerCollectionV2SizeStrategy.RELATIVE_HEIGHT,
        heightFraction: 0.6,
      },
    }),
  ];
}

/** Creates the rails that follow the clock (the replays on air, to come and shown) and an offer to watch them. */
function createSchedule({ component }: PageBuilder): readonly PageComponent[] {
  const rail = (
    id: string,
    name: string,
    title: Text,
    times: string,
    order: string,
    card = eventCard,
  ) =>
    component(id, name, {
      case: "rail",
      value: {
        type: BaseType.EVENT,
        title,
        filter: `content_type: ${REPLAY} and ${times}`,
        order,
        limit: 12,
        hideByDefault: true,
        card,
        cardThumbnail: wideThumbnail,
      },
    });
  return [
    rail(
      "rail-home-live",
      "The match that is on",
      { en: "On now", de: "Jetzt" },
      "start_time <= now and end_time > now",
      "start_time asc",
    ),
    rail(
      "rail-home-coming",
      "Matches of the next twelve hours",
      { en: "Today and tonight", de: "Heute und heute Nacht" },
      "start_time > now and start_time < now+12h",
      "start_time asc",
    ),
    rail(
      "rail-home-week",
      "Matches of the week",
      { en: "This week", de: "Diese Woche" },
      "start_time >= now+12h and start_time < now+7d",
      "start_time asc",
    ),
    rail(
      "rail-home-results",
      "Results of the replays",
      { en: "Results", de: "Ergebnisse" },
      "end_time <= now",
      "start_time desc",
      resultCard,
    ),
    component(
      "promo-home-pass",
      "Pass for the next month",
      {
        case: "promotionalContent",
        value: {
          title: { en: "Every goal, every match", de: "Jedes Tor, jedes Spiel" },
          image_url: pictureUrl("promotion-month-pass", "21:9"),
          action: { kind: "offer", offer_id: "offer-month" },
        },
      },
      { environments: ["web", "ios", "android"] },
    ),
  ];
}

function createMatches({ component }: PageBuilder): readonly PageComponent[] {
  return [
    component(
      "filter-home",
      "Season, stage, team and search",
      {
        case: "filter",
        value: {
          controls: [
            {
              kind: "select",
              url_param: "season",
              label: { en: "Season", de: "Saison" },
              options: ["2026", "2022", "2018"],
            },
            {
              kind: "chips",
              url_param: "stage",
              label: { en: "Stage", de: "Phase" },
              options: ["group", "knockout"],
            },
            { kind: "entity-select", url_param: "team", label: { en: "Team", de: "Team" } },
            { kind: "search-input", url_param: "query", label: { en: "Search", de: "Suche" } },
          ],
          layout: { kind: "inline" },
          chipBorderRadius: BorderRadius.LARGE,
        },
      },
      { cssClasses: ["sticky"] },
    ),
    component("rail-home-matches", "All matches", {
      case: "rail",
      value: {
        type: BaseType.EVENT,
        title: { en: "Matches", de: "Spiele" },
        filter: "content_type: match",
        additionalFilters: NARROWED,
        additionalSearch: "query",
        order: "start_time desc",
        limit: 24,
        pinned: ["match-2026-104", "match-2022-64"],
        card: eventCard,
        cardThumbnail: wideThumbnail,
        seeAll: { page_slug: "search" },
      },
    }),
    component("calendar-home", "Match calendar", {
      case: "calendarV2",
      value: {
        layout: { kind: "day_grid", columns: 3 },
        filter: `content_type: (match or ${REPLAY})`,
        additionalFilters: NARROWED,
        showOnUnmatchedAdditionalFilters: true,
        card: eventCard,
        cardThumbnail: wideThumbnail,
      },
    }),
  ];
}

function createMore({ component }: PageBuilder): readonly PageComponent[] {
  const group = { groupId: "group-home-watch" };
  return [
    component(
      "rail-home-finals",
      "Finals",
      {
        case: "rail",
        value: {
          type: BaseType.EVENT,
          title: { en: "Finals", de: "Finalspiele" },
          filter: 'content_type: match and fields.round: (Final or "Match for third place")',
          additionalFilters: { season: NARROWED.season },
          showOnUnmatchedAdditionalFilters: true,
          order: "start_time desc",
          card: eventCard,
        },
      },
      group,
    ),
    component(
      "rail-home-highlights",
      "Highlights",
      {
        case: "rail",
        value: {
          type: BaseType.CREATIVE_WORK,
          title: { en: "Highlights", de: "Höhepunkte" },
          description: "The best of the knock-out stage",
          filter: "content_type: highlights",
          additionalFilters: { season: NARROWED.season, team: NARROWED.team },
          showOnUnmatchedAdditionalFilters: true,
          order: "release_time desc",
          limit: 12,
          card: posterCard,
          cardThumbnail: tallThumbnail,
          seeAll: { page_slug: "all-highlights" },
          background: { color: "#10233f" },
          arrows: { placement: "sides" },
        },
      },
      group,
    ),
    component("rail-home-teams", "Teams of 2026", {
      case: "rail",
      value: {
        type: BaseType.ENTITY,
        title: { en: "Teams", de: "Teams" },
        filter: 'content_type: team and fields.season_ids: "2026"',
        showOnUnmatchedAdditionalFilters: true,
        order: "title.en asc",
        limit: 48,
        card: roundCard,
        theme: { kind: "compact" },
      },
    }),
    component(
      "rail-home-draft",
      "Draft: opening matches",
      {
        case: "rail",
        value: {
          type: BaseType.EVENT,
          title: { en: "Opening matches", de: "Eröffnungsspiele" },
          filter: "content_type: match and fields.number: 1",
          order: "start_time asc",
        },
      },
      { visibility: Visibility.HIDDEN },
    ),
  ];
}

function createEnd({ component }: PageBuilder): readonly PageComponent[] {
  return [
    component("offers-home", "Passes", {
      case: "offers",
      value: {
        offer: OFFERS.map(({ id, title, description }) => ({
          offer_id: id,
          title,
          description,
        })),
        title: { en: "Choose your pass", de: "Wähle deinen Pass" },
        subtitle: { en: "Cancel whenever you like", de: "Jederzeit kündbar" },
        backgroundColor: "#10233f",
        titleColor: "#ffffff",
        cardBackgroundColor: "#1b3766",
        mainButtonColors: { default: "#ffcc00", hover: "#ffdd55" },
        mainButtonTextColor: "#10233f",
      },
    }),
    component(
      "text-home-notice",
      "Notice for those who have the link",
      {
        case: "text",
        value: { text: { en: "Maintenance tonight.", de: "Heute Nacht Wartung." } },
      },
      { visibility: Visibility.UNLISTED },
    ),
    component("sponsors-home", "Sponsors", {
      case: "sponsorshipCollection",
      value: {
        sponsors: [
          { name: "Acme Sports", image_url: pictureUrl("sponsor-acme-sports") },
          { name: "Acme Water", image_url: pictureUrl("sponsor-acme-water") },
        ],
      },
    }),
    component("footer-home", "Footer", {
      case: "footer",
      value: {
        links: [
          { title: { en: "Highlights", de: "Höhepunkte" }, page_slug: "all-highlights" },
          { title: { en: "Tables", de: "Tabellen" }, page_slug: "tables" },
          { title: { en: "Help", de: "Hilfe" }, page_slug: "help" },
        ],
        note: "Data: openfootball, public domain",
      },
    }),
  ];
}
