import type { JsonObject } from "@bufbuild/protobuf";
import type { IdentityProvider } from "../../../demo/identity-provider.ts";
import { type DeliveredKind, isDelivered, KIND_NAMES, KINDS } from "../../../src/domain/kinds.ts";
import { procedureOf } from "../methods.ts";
import { AUDIENCE } from "./dataset.ts";
import { COMPONENT_PROBES, ITEMS_PROBES, PAGE_PROBES } from "./page-probes.ts";
import { NOW } from "./service.ts";
import { TARGETS, VIEWER } from "./variants.ts";

/** A request that tries to see what it must not. It never holds one of the words itself. */
export interface Probe {
  readonly message: JsonObject;
  /** True where what is unlisted may be seen, as it is asked for by its id. */
  readonly seesUnlisted?: boolean;
  /** True where a viewer token comes along. */
  readonly isViewer?: boolean;
}

/** What is sent to a method. */
export interface MethodProbes {
  readonly probes: readonly Probe[];
  /** True where a response holds a fresh signature, so that two are never the same. */
  readonly isSigned?: boolean;
  /** True where not even the preview key sees what is not published. */
  readonly isBlind?: boolean;
}

/** Broken arguments, one at a time; their errors must say nothing either. */
const BROKEN_PAGES = [{ pageSize: -1 }, { pageToken: "x" }, { pageToken: "xyl" }];

const FILTERS = [
  "title.en: *",
  "title.en: xyl*",
  "title.en: *xyl*",
  "title.*: Xyl*",
  "title: *",
  "description.en: xyl*",
  "content_type: match",
  "content_type: xyl*",
  "not content_type: match",
  "entity_ids: entity-1",
  "entity_ids: (entity-hidden-0 or entity-unspecified-0 or entity-unlisted-0)",
  "video_ids: video-1",
  "id: a-*",
  "id: (event-hidden-0 or work-hidden-0 or entity-hidden-0 or entity-foreign-1)",
  "not id: (event-* or work-* or entity-*)",
  'fields.season.id: "2026"',
  'not fields.season.name: "Season 2026"',
  "fields.season: { name: xyl* }",
  "fields.number <= 4",
  "fields.xyl*: *",
  "fields.tags: *",
  "fields.tags: { deep: * }",
  "visibility: VISIBILITY_HIDDEN",
  "visibility: (VISIBILITY_UNSPECIFIED or VISIBILITY_UNLISTED)",
  "not visibility: VISIBILITY_PUBLISHED",
  "project_id: beta",
  "not project_id: alpha",
  "poster_image_url: *xyl*",
  "xyl*",
  "*: xyl*",
  "start_time < now",
  'create_time < "2026-03-01"',
  "title.en: (",
  "title.en: xyl* and",
];

const FIELDS = ["start_time", "release_time", "create_time", "update_time", "id"];
const TITLES = ["title.en", "title.de", "title.xyl", "title.fr"];
const ORDERS = [...FIELDS, ...TITLES, "content_type"].flatMap((field) =>
  ["asc", "desc"].map((direction) => `${field} ${direction}`),
);

const SEARCHES = ["x", "xyl", "xylo", "XYL", "xyl aar", "zul", "aaron", "2026", "con", "%", '"'];

const LIST_PROBES: readonly Probe[] = [
  ...[{}, { pageSize: 1 }, { pageSize: 7 }, { pageSize: 1_000 }, ...BROKEN_PAGES],
  ...FILTERS.map((filter) => ({ filter, pageSize: 9 })),
  ...ORDERS.map((order) => ({ order, pageSize: 9 })),
  ...SEARCHES.map((search) => ({ search, pageSize: 9 })),
  { search: "xyl", filter: "title.en: xyl*", order: "title.en desc", pageSize: 5 },
  { excludeGeoblocked: true, pageSize: 9 },
].map((message) => ({ message }));

const toIds = (prefix: string): readonly Probe[] => [
  ...["", `${prefix}-1`, "xyl", "xyl*", "%"].map((id) => ({ message: { id } })),
  ...TARGETS.flatMap((target) =>
    ["", "-0", "-1"].map((end) => ({
      message: { id: `${prefix}-${target}${end}` },
      seesUnlisted: target === "unlisted",
    })),
  ),
];

const toProbes = (messages: readonly JsonObject[]) => messages.map((message) => ({ message }));

const PAGE_SIZES = [{}, { pageSize: 1 }, { pageSize: 3 }, { pageSize: 100 }, ...BROKEN_PAGES];

/** The requests to every delivery method; a method without any fails `leak.test.ts`. */
export async function createProbes(
  identityProvider: IdentityProvider,
): Promise<Readonly<Record<string, MethodProbes>>> {
  const sign = (audience: string) =>
    identityProvider.sign({
      subject: VIEWER,
      audience,
      issueTime: NOW,
      expireTime: new Date(NOW.getTime() + 60_000),
    });
  const tokens = [await sign(AUDIENCE), await sign("elsewhere"), "", "xyl"];
  const annotations = [
    ...["video-1", "video-2"].map((videoId) => ({ videoId })),
    ...["event-1", ...TARGETS.map((it) => `event-${it}-0`)].map((eventId) => ({ eventId })),
    { videoId: "video-1", eventId: "event-hidden-0" },
  ];
  const sessions = [
    "video-1",
    "video-2",
    "video-ended",
    "video-foreign-1",
    "event-hidden-0",
    "xyl",
    "",
  ].flatMap((videoId) => ["session-1", "xyl/"].map((sessionKey) => ({ videoId, sessionKey })));
  const playback = { probes: toProbes(sessions), isSigned: true, isBlind: true };
  return {
    "svc.cda.annotations.annotation.v1.AnnotationService/ListAnnotations": {
      probes: toProbes([
        {},
        ...annotations.flatMap((it) => PAGE_SIZES.map((page): JsonObject => ({ ...it, ...page }))),
      ]),
    },
    "svc.cda.cms.creative_work.v1.CreativeWorkService/GetCreativeWork": { probes: toIds("work") },
    "svc.cda.cms.creative_work.v1.CreativeWorkService/ListCreativeWorks": { probes: LIST_PROBES },
    "svc.cda.cms.entity.v1.EntityService/GetEntity": { probes: toIds("entity") },
    "svc.cda.cms.entity.v1.EntityService/ListEntities": {
      probes: LIST_PROBES.filter(({ message }) => !("excludeGeoblocked" in message)),
    },
    "svc.cda.cms.event.v1.EventService/GetEvent": { probes: toIds("event") },
    "svc.cda.cms.event.v1.EventService/ListEvents": { probes: LIST_PROBES },
    "svc.cda.iam.auth.v1.AuthService/ExchangeToken": {
      probes: toProbes(tokens.map((vendorIdToken) => ({ vendorIdToken }))),
      ...{ isSigned: true, isBlind: true },
    },
    "svc.cda.monetization.entitlement.v1.EntitlementService/ListEntitlements": {
      probes: PAGE_SIZES.flatMap((message) => [{ message }, { message, isViewer: true }]),
      isBlind: true,
    },
    ...Object.fromEntries(KIND_NAMES.filter(isDelivered).flatMap(listDeliveredProbes)),
    "svc.cda.ott.page.v1.PageService/GetPage": { probes: PAGE_PROBES },
    "svc.cda.ott.page.v1.PageService/ListPages": { probes: toProbes(PAGE_SIZES) },
    "svc.cda.ott.page_component.v2.PageComponentService/GetPageComponent": {
      probes: COMPONENT_PROBES,
    },
    "svc.cda.ott.page_component.v2.PageComponentService/ListPageComponentItems": {
      probes: ITEMS_PROBES,
    },
    "svc.cda.streaming.playback.v1.PlaybackService/AuthorizePlayback": playback,
    "svc.cda.streaming.playback.v1.PlaybackService/KeepPlayback": playback,
    "svc.cda.streaming.playback.v1.PlaybackService/StopPlayback": {
      probes: toProbes(["session-1", "xyl/", "xyl", ""].map((sessionKey) => ({ sessionKey }))),
      isBlind: true,
    },
  };
}

/** Lists the probes of the standard methods of a kind. */
function listDeliveredProbes(kind: DeliveredKind): [string, MethodProbes][] {
  return KINDS[kind].delivered.service.methods.map((method) => [
    procedureOf(method),
    { probes: method.name.startsWith("Get") ? toIds(kind) : toProbes(PAGE_SIZES) },
  ]);
}
