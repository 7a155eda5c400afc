import type { JsonObject } from "@bufbuild/protobuf";
import { createPublishedPages, OBJECTS } from "./pages.ts";
import type { Probe } from "./probes.ts";
import { TARGETS } from "./variants.ts";

/** What a client may keep of what its viewer chose. */
const SESSIONS: readonly JsonObject[] = [
  {},
  { season: "2026" },
  { team: { ids: ["entity-hidden-0", "entity-unlisted-0", "entity-1"] } },
  { name: "xyl*" },
  { query: "xyl" },
  { other: true },
];

/** The days of the variants' events, and a day of a published one. */
const DAYS = ["2026-02-26", "2026-03-05", "2026-03-12", "2026-04-10", "2026-03-03"];

/** The components that refer to the unlisted and list what they show. */
const LISTING_ENDS = [
  ...["grid", "events", "works", "entities", "filtered", "searched"],
  ...["calendar", "old-calendar"],
];

const EVERYTHING = { includeItems: true, itemsPageSize: 50 };
const PUBLISHED_IDS = createPublishedPages([]).flatMap(({ components }) =>
  components.map(({ id }) => id),
);

/** What a page about something is shown for. */
const ABOUT = OBJECTS.flatMap(({ prefix }) =>
  [`${prefix}-1`, ...TARGETS.map((target) => `${prefix}-${target}-0`)].map((id) => ({
    ...{ prefix, parameters: { id, q: "xyl" } },
    seesUnlisted: id.includes("unlisted"),
  })),
);

const PAGE_KEYS: readonly JsonObject[] = [
  ...["home", "xyl", ...OBJECTS.map(({ prefix }) => `about-${prefix}`)].map((slug) => ({ slug })),
  ...TARGETS.map((target) => ({ slug: `to-${target}` })),
  ...TARGETS.flatMap((it): JsonObject[] => [{ id: `page-${it}` }, { slug: `slug-${it}` }]),
  ...[{}, { id: "page-hidden", slug: "home" }, { id: "page-hidden", slug: "slug-hidden" }],
];

/** Requests for pages: every page, session, environment, and what a page is about. */
export const PAGE_PROBES: readonly Probe[] = [
  ...PAGE_KEYS.flatMap((key): JsonObject[] => [
    key,
    { ...key, ...EVERYTHING },
    { ...key, ...EVERYTHING, environment: "web", session: { name: "xyl*" } },
  ]),
  ...SESSIONS.map((session): JsonObject => ({ slug: "home", ...EVERYTHING, session })),
  { slug: "home", environment: "xyl" },
  { slug: "home", includeItems: true, itemsPageSize: -1 },
  { slug: "home", includeItems: true, itemsPageSize: 1 },
]
  .map((message): Probe => ({ message, seesUnlisted: namesUnlisted(message) }))
  .concat(
    ABOUT.map(({ prefix, parameters, seesUnlisted }) => ({
      message: { slug: `about-${prefix}`, parameters, ...EVERYTHING },
      seesUnlisted,
    })),
  );

const COMPONENT_KEYS: readonly Probe[] = [
  ...PUBLISHED_IDS.map((id): JsonObject => ({ id })),
  { id: "home-event", pageId: "page-home" },
  ...TARGETS.flatMap((target): JsonObject[] => [
    ...["rail", "event_player", "banner_collection_v2", "calendar_v2", "text", "offers"].map(
      (member) => ({ id: `component-${target}-${member}` }),
    ),
    { id: `component-${target}-rail`, pageId: "page-home" },
    { id: `page-rail-${target}` },
    { id: `page-rail-${target}`, pageId: `page-${target}` },
    { id: "home-event", pageId: `page-${target}` },
  ]),
  ...[{}, { id: "xyl" }],
].map((message) => ({ message, seesUnlisted: namesUnlisted(message) }));

const ABOUT_KEYS: readonly Probe[] = ABOUT.flatMap(({ prefix, parameters, seesUnlisted }) =>
  ["one", "own", "banners", "near", "same", "grid"].map((end) => ({
    message: { id: `about-${prefix}-${end}`, parameters },
    seesUnlisted,
  })),
);

/** Requests for components, with what they show and without. */
export const COMPONENT_PROBES: readonly Probe[] = [
  ...COMPONENT_KEYS.filter(({ message }) => !PUBLISHED_IDS.includes(String(message.id))),
  ...[...COMPONENT_KEYS, ...ABOUT_KEYS].map(({ message, ...rest }) => ({
    ...rest,
    message: { ...message, ...EVERYTHING },
  })),
];

/** Requests for the items of components. */
export const ITEMS_PROBES: readonly Probe[] = [
  ...ABOUT_KEYS.filter(({ message }) => /-(near|same|grid)$/.test(String(message.id))),
  ...COMPONENT_KEYS.map(({ message, ...rest }) => ({
    ...rest,
    message: { ...message, pageSize: 7 },
  })),
  ...["home-event", "home-creative_work", "home-entity", "home-grid"].flatMap((id) =>
    SESSIONS.map((session) => ({ message: { id, session, pageSize: 11 } })),
  ),
  ...["home-calendar", "to-hidden-calendar"].flatMap((id) =>
    [...DAYS, "xyl"].map((day) => ({ message: { id, day, timeZone: "Europe/Berlin" } })),
  ),
  { message: { id: "home-event", pageToken: "xyl" } },
  { message: { id: "home-event", pageSize: -1 } },
];

/** What is asked for or referred to by its id may be unlisted; what a component lists may not. */
function namesUnlisted({ id, slug, pageId }: JsonObject): boolean {
  const isOfList = LISTING_ENDS.some((end) => id === `to-unlisted-${end}`);
  return !isOfList && [id, slug, pageId].some((key) => String(key).includes("unlisted"));
}
