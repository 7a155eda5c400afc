import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import type { PageRecord } from "../../../demo/data/dataset-records.ts";
import { PageSchema } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { createFilled, toFilledJson } from "./filled-message.ts";
import { createReferringComponents } from "./referring-components.ts";
import { PROJECT, TARGETS, type Variant } from "./variants.ts";

/** The members that a component can have. */
const MEMBERS = PageComponentSchema.fields.filter(({ oneof }) => oneof !== undefined);

/** What the session narrows on every list of the home page. */
const NARROWED: JsonObject = {
  season: "fields.season.id: {season}",
  team: "entity_ids: {team.ids}",
  name: "title.en: {name}",
};

/** The kinds of content that a page can be about, with how its ids begin. */
export const OBJECTS = [
  { kind: "event", prefix: "event", type: "BASE_TYPE_EVENT" },
  { kind: "creative_work", prefix: "work", type: "BASE_TYPE_CREATIVE_WORK" },
  { kind: "entity", prefix: "entity", type: "BASE_TYPE_ENTITY" },
] as const;

/**
 * Creates the published pages: one that also has components of the variants, one for each target that
 * refers to it in every way, and one about each kind of content.
 */
export function createPublishedPages(variants: readonly Variant[]): PageRecord[] {
  const own = variants.filter(({ projectId }) => projectId === PROJECT);
  return [
    toPage("home", {}, [
      ...OBJECTS.map(({ kind, type }) => toHomeRail(`home-${kind}`, type)),
      ...own.flatMap(createVariantComponents).filter(isOnlyFilter),
      toComponent("home-calendar", "calendarV2", { additionalFilters: NARROWED }),
      toComponent("home-grid", "contentGrid", {
        inline: { type: "BASE_TYPE_EVENT", page_size: 7, additional_filters: NARROWED },
      }),
    ]),
    ...TARGETS.map((target) =>
      toPage(`to-${target}`, {}, createReferringComponents(target, toComponent)),
    ),
    ...OBJECTS.map((object) => createObjectPage(object)),
  ];
}

/** A page holds one filter: that of the first variant that is not shown to everybody. */
function isOnlyFilter({ id, data }: PageComponent): boolean {
  return data.case !== "filter" || id === "component-hidden-filter";
}

/** Creates the pages of a variant: one with components that are published, and an empty one. */
export function createVariantPages(variant: Variant): PageRecord[] {
  const { name, word, ...rest } = variant;
  const { projectId } = rest;
  const page = (id: string, slug: string) => createFilled(PageSchema, word, { ...rest, id, slug });
  const rail = createFilled(PageComponentSchema, word, {
    id: `page-rail-${name}`,
    projectId,
    visibility: "VISIBILITY_PUBLISHED",
    environments: [],
    rail: { type: "BASE_TYPE_EVENT", title: { en: word }, filter: "content_type: match" },
  });
  const isForeign = projectId !== PROJECT;
  return [
    {
      page: page(`page-${name}`, `slug-${name}`),
      components: [rail, ...(isForeign ? createVariantComponents(variant) : [])],
    },
    { page: page(`${word}-page`, word), components: [] },
  ];
}

/** Creates a component for each member of data, named like `component-hidden-rail`. */
function createVariantComponents({ name, word, ...rest }: Variant): PageComponent[] {
  const rail = { type: "BASE_TYPE_EVENT", title: { en: word }, description: word, search: "xyl" };
  return MEMBERS.map((member) => {
    const { jsonName } = member;
    const data = member.message === undefined ? {} : toFilledJson(member.message, word);
    return createFilled(PageComponentSchema, word, {
      ...rest,
      id: `component-${name}-${member.name}`,
      type: member.name,
      groupId: "",
      environments: [],
      [jsonName]: jsonName === "rail" ? rail : data,
    });
  });
}

function createObjectPage({ kind, prefix, type }: (typeof OBJECTS)[number]): PageRecord {
  const object = `PAGE_OBJECT_${kind.toUpperCase()}`;
  const player = { event: "eventPlayer", creative_work: "creativeWorkPlayer" } as const;
  const member = kind === "entity" ? "playerProfile" : player[kind];
  return toPage(`about-${prefix}`, { object, parameters: ["id"] }, [
    toComponent(`about-${prefix}-one`, member, { id: "{id}" }),
    toComponent(`about-${prefix}-own`, member, { id: `{${kind}.id}` }),
    toComponent(`about-${prefix}-banners`, "bannerCollectionV2", { id: "{id}" }),
    toComponent(`about-${prefix}-near`, "rail", {
      type,
      filter: `fields.season.name: {${kind}.fields.season.name}`,
      search: "{q}",
    }),
    toComponent(`about-${prefix}-same`, "calendarV2", { filter: "entity_ids: {id}" }),
    toComponent(`about-${prefix}-grid`, "contentGrid", {
      inline: { type, filter: `title.en: {${kind}.title.en}`, pinned: [`${prefix}-hidden-0`] },
    }),
  ]);
}

function toHomeRail(id: string, type: string): PageComponent {
  return toComponent(id, "rail", {
    type,
    limit: 5,
    order: "title.en asc",
    additionalFilters: NARROWED,
    additionalSearch: "query",
    showOnUnmatchedAdditionalFilters: true,
  });
}

/** Makes a published component. */
export type ToComponent = typeof toComponent;

function toComponent(id: string, member: string, data: JsonObject): PageComponent {
  const type = MEMBERS.find(({ jsonName }) => jsonName === member)?.name ?? "";
  return fromJson(PageComponentSchema, {
    ...{ id, type, projectId: PROJECT, visibility: "VISIBILITY_PUBLISHED", name: id },
    [member]: data,
  });
}

function toPage(key: string, rest: JsonObject, components: PageComponent[]): PageRecord {
  const page = fromJson(PageSchema, {
    ...{ id: `page-${key}`, slug: key, projectId: PROJECT, title: { en: key } },
    visibility: "VISIBILITY_PUBLISHED",
    ...rest,
  });
  return { page, components };
}
