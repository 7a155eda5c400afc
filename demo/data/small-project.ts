import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import {
  type CreativeWork,
  CreativeWorkSchema,
} from "../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { type Entity, EntitySchema } from "../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { type Event, EventSchema } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { AnnotationSchema } from "../../gen/svc/studio/annotations/annotation/v1/annotation_pb.ts";
import { AnnotationTypeSchema } from "../../gen/svc/studio/annotations/annotation_type/v1/annotation_type_pb.ts";
import { BaseType } from "../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { VideoProtectionRulesetSchema } from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { type Video, VideoSchema } from "../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { createActions } from "./actions.ts";
import { createBannerCollection } from "./banners.ts";
import type { Dataset, PageRecord } from "./dataset-records.ts";
import { createOffer, OFFERS } from "./offers.ts";
import { createPageBuilder } from "./pages/page-builder.ts";
import { createTransactions, type TransactionSeries } from "./transactions.ts";
import { pictureUrl } from "./wording.ts";

/** The resources of one project: everything but organizations, access and sign-in. */
export type ProjectContent = Omit<
  Dataset,
  "organizations" | "projects" | "accounts" | "bindings" | "signInIntegrations"
>;

const CREATED = timestampFromDate(new Date("2026-01-10T12:00:00Z"));
const TEAMS = ["red", "blue", "green"];
const MATCHES = [
  { home: "red", away: "blue", day: 1 },
  { home: "blue", away: "green", day: 8 },
  { home: "green", away: "red", day: 15 },
];

/** Creates a project with a few resources of every kind; their ids start with the project's. */
export function createSmallProject(
  name: string,
  series: Omit<TransactionSeries, "offers">,
): ProjectContent {
  const { projectId } = series;
  const clip = `${projectId}-clip`;
  const offer = { ...OFFERS[0], id: `${projectId}-${OFFERS[0].id}` };
  return {
    entities: TEAMS.map((team) => toTeam(projectId, team)),
    creativeWorks: [toRecap(projectId, name)],
    events: MATCHES.map((match, index) => toMatch(projectId, match, index + 1)),
    videos: ["match-1", "match-2", "match-3", "recap"].map((key) => toVideo(projectId, key)),
    actions: createActions(projectId, { clip }),
    annotationTypes: [
      create(AnnotationTypeSchema, {
        id: `${projectId}-type-goal`,
        projectId,
        name: "goal",
        actionConfiguration: {
          configuration: { [clip]: { enabled: true } },
          conditions: [
            { confidenceThreshold: 0.5, sourceTypes: { types: ["SOURCE_TYPE_MANUAL"] } },
          ],
        },
      }),
    ],
    annotations: [
      create(AnnotationSchema, {
        id: `${projectId}-goal-1`,
        projectId,
        typeId: `${projectId}-type-goal`,
        videoId: `${projectId}-video-match-1`,
        offset: { seconds: 600n },
        startOffset: { seconds: 590n },
        endOffset: { seconds: 620n },
        visibility: Visibility.PUBLISHED,
        eventId: `${projectId}-match-1`,
        entityIds: [`${projectId}-team-red`],
        confidence: 1,
        timerLabel: "10",
        order: 1n,
      }),
    ],
    bannerCollections: [
      createBannerCollection(projectId, `${projectId}-banners-home`, "Stage of the home page", [
        { picture: "banner-cup", title: { en: `${name} Cup` }, link: "" },
      ]),
    ],
    pages: [toHome(projectId, name)],
    rulesets: [
      create(VideoProtectionRulesetSchema, {
        id: `${projectId}-ruleset-default`,
        projectId,
        name: "Everything, everywhere",
        geoRestrictions: { case: "allowAllGeographies", value: true },
        applicability: { case: "appliesToAll", value: true },
      }),
    ],
    offers: [createOffer(projectId, offer, 1)],
    transactions: createTransactions({ ...series, offers: [offer] }),
  };
}

function toTeam(projectId: string, team: string): Entity {
  const id = `${projectId}-team-${team}`;
  return create(EntitySchema, {
    id,
    projectId,
    title: { en: `Team ${capitalize(team)}` },
    contentType: "team",
    visibility: Visibility.PUBLISHED,
    posterImageUrl: pictureUrl(`team-${team}`),
    fields: { code: team.slice(0, 3).toUpperCase() },
    createTime: CREATED,
    updateTime: CREATED,
  });
}

function toMatch(
  projectId: string,
  { home, away, day }: (typeof MATCHES)[number],
  number: number,
): Event {
  const id = `${projectId}-match-${number}`;
  return create(EventSchema, {
    id,
    projectId,
    title: { en: `${capitalize(home)} vs ${capitalize(away)}` },
    contentType: "match",
    visibility: Visibility.PUBLISHED,
    startTime: timestampFromDate(new Date(Date.UTC(2026, 2, day, 18))),
    endTime: timestampFromDate(new Date(Date.UTC(2026, 2, day, 20))),
    entityIds: [`${projectId}-team-${home}`, `${projectId}-team-${away}`],
    videoIds: [`${projectId}-video-match-${number}`],
    posterImageUrl: pictureUrl(`match-${home}-${away}`),
    fields: { season: { id: "2026", name: "Cup 2026" }, round: `Matchday ${number}` },
    createTime: CREATED,
    updateTime: CREATED,
  });
}

function toRecap(projectId: string, name: string): CreativeWork {
  const id = `${projectId}-recap`;
  return create(CreativeWorkSchema, {
    id,
    projectId,
    title: { en: `${name} Cup in five minutes` },
    contentType: "highlights",
    visibility: Visibility.PUBLISHED,
    releaseTime: timestampFromDate(new Date("2026-03-16T09:00:00Z")),
    entityIds: TEAMS.map((team) => `${projectId}-team-${team}`),
    videoIds: [`${projectId}-video-recap`],
    posterImageUrl: pictureUrl("highlights-cup", "2:3"),
    fields: { season: { id: "2026", name: "Cup 2026" } },
    createTime: CREATED,
    updateTime: CREATED,
  });
}

function toVideo(projectId: string, key: string): Video {
  const id = `${projectId}-video-${key}`;
  return create(VideoSchema, {
    id,
    projectId,
    name: `${projectId} ${key}`,
    playlistUrl: `https://media.example/${projectId}/${id}/playlist.m3u8`,
    duration: { seconds: key === "recap" ? 300n : 7200n },
    createTime: CREATED,
    updateTime: CREATED,
  });
}

function toHome(projectId: string, name: string): PageRecord {
  const { page, component } = createPageBuilder(projectId);
  return page({ id: `${projectId}-page-home`, slug: "home", title: { en: name } }, [
    component(`${projectId}-text-home`, "Welcome", {
      case: "text",
      value: { text: { en: `Welcome to ${name}.` } },
    }),
    component(`${projectId}-rail-home`, "Matches", {
      case: "rail",
      value: {
        type: BaseType.EVENT,
        title: { en: "Matches" },
        filter: "content_type: match",
        order: "start_time asc",
      },
    }),
  ]);
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
