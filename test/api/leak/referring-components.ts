import type { PageComponent } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { ToComponent } from "./pages.ts";

/** Creates components that refer to what a target names, in every way that there is. */
export function createReferringComponents(
  target: string,
  toComponent: ToComponent,
): PageComponent[] {
  const toIds = (prefix: string) => [
    `${prefix}-${target}-0`,
    `${prefix}-3`,
    `${prefix}-${target}-1`,
  ];
  const filter = [
    `id: event-${target}-0`,
    `entity_ids: entity-${target}-0`,
    `fields.related: event-${target}-0`,
    "title.en: xyl*",
    "video_ids: video-1",
  ].join(" or ");
  const rail = (id: string, type: string, rest: object) =>
    toComponent(`to-${target}-${id}`, "rail", { type, limit: 6, ...rest });
  const one = (id: string, member: string, data: Parameters<ToComponent>[2]) =>
    toComponent(`to-${target}-${id}`, member, data);
  return [
    one("banners", "bannerCollectionV2", { id: `banner_collection-${target}` }),
    one("old-banners", "bannerCollection", { id: `banner_collection-${target}` }),
    one("event", "eventPlayer", { id: `event-${target}-0` }),
    one("work", "creativeWorkPlayer", { id: `work-${target}-0` }),
    one("profile", "playerProfile", { id: `entity-${target}-0` }),
    one("mirror", "contentGrid", {
      reference: { page_component_id: `component-${target}-rail` },
    }),
    one("page-mirror", "contentGrid", { reference: { page_component_id: `page-rail-${target}` } }),
    one("grid", "contentGrid", {
      inline: { type: "BASE_TYPE_EVENT", pinned: toIds("event"), filter, search: "xyl" },
    }),
    rail("events", "BASE_TYPE_EVENT", { pinned: toIds("event") }),
    rail("works", "BASE_TYPE_CREATIVE_WORK", { pinned: toIds("work"), order: "title.en asc" }),
    rail("entities", "BASE_TYPE_ENTITY", { pinned: toIds("entity"), order: "id desc" }),
    rail("filtered", "BASE_TYPE_EVENT", { filter, order: "title.en desc" }),
    rail("searched", "BASE_TYPE_EVENT", { search: "xyl", excludeGeoblocked: true }),
    one("calendar", "calendarV2", { filter }),
    one("old-calendar", "calendar", { filter }),
    one("offers", "offers", { offer: [{ offer_id: `offer-${target}` }] }),
  ];
}
