import { randomUUID } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { BannerCollectionSchema } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { PageSchema } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { PageComponentSchema } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { Marquee } from "../../harness/marquee.ts";
import type { MethodSample } from "../method-samples.ts";
import type { JsonMessage } from "../methods.ts";
import { allowExisting, deletable } from "./deletable.ts";

const PAGES = "svc.studio.ott.page.v1.PageService";
const COMPONENTS = "svc.studio.ott.page_component.v2.PageComponentService";
const BANNERS = "svc.studio.ott.banner_collection.v2.BannerCollectionService";
const PROJECT = "worldcup/worldcup/project";
const PAGE = "page-match/worldcup/page";
const COMPONENT = "banner-home/worldcup/page_component";
const COLLECTION = "banners-home/worldcup/banner_collection";

/** A page of which nobody else has the slug. */
const newPage = async (): Promise<JsonMessage> => ({
  page: { projectId: "worldcup", slug: `sample-${randomUUID()}` },
});

const text = (id: string) =>
  create(PageComponentSchema, {
    ...{ id, projectId: "worldcup", type: "text" },
    data: { case: "text", value: {} },
  });

/** All components of a page, as they lie. */
const sameOrder = async ({ store }: Marquee): Promise<JsonMessage> => {
  const { values } = await store.in("org-worldcup").pageComponents.list({
    parentIds: ["page-match"],
    order: { field: "position", direction: "asc" },
    limit: 1_000,
    now: new Date(),
  });
  return { pageId: "page-match", pageComponentIds: values.map(({ id }) => id) };
};

const deletableComponent = async ({ store }: Marquee): Promise<JsonMessage> => {
  const pageComponentId = "deletable-page_component";
  const page = { pageId: "page-help" };
  await store
    .in("org-worldcup")
    .pageComponents.create(text(pageComponentId), page, () => {})
    .catch(allowExisting);
  return { pageComponentId };
};

/** Samples of the methods of pages, their components and banner collections in management. */
export const ottSamples: Readonly<Record<string, MethodSample>> = {
  [`${PAGES}/CreatePage`]: { message: newPage, resource: PROJECT, isWrite: true },
  [`${PAGES}/GetPage`]: { message: { pageId: "page-match" }, resource: PAGE },
  [`${PAGES}/ListPages`]: { message: { projectId: "worldcup", pageSize: 2 }, resource: PROJECT },
  [`${PAGES}/UpdatePage`]: {
    message: { pageId: "page-match", page: { title: { en: "Match" } }, updateMask: "title" },
    resource: PAGE,
    isWrite: true,
  },
  [`${PAGES}/ReorderPageComponents`]: { message: sameOrder, resource: PAGE, isWrite: true },
  [`${PAGES}/DeletePage`]: {
    message: deletable("page", PageSchema, { slug: "deletable" }),
    resource: "deletable-page/worldcup/page",
    isWrite: true,
  },
  [`${COMPONENTS}/CreatePageComponent`]: {
    message: {
      pageComponent: { projectId: "worldcup", type: "text", text: {} },
      pageId: "page-help",
    },
    resource: "page-help/worldcup/page",
    isWrite: true,
  },
  [`${COMPONENTS}/GetPageComponent`]: {
    message: { pageComponentId: "banner-home" },
    resource: COMPONENT,
  },
  [`${COMPONENTS}/ListPageComponents`]: { message: { pageId: "page-match" }, resource: PAGE },
  [`${COMPONENTS}/DeletePageComponent`]: {
    message: deletableComponent,
    resource: "deletable-page_component/worldcup/page_component",
    isWrite: true,
  },
  [`${BANNERS}/CreateBannerCollection`]: {
    message: { bannerCollection: { projectId: "worldcup", name: "A sample" } },
    resource: PROJECT,
    isWrite: true,
  },
  [`${BANNERS}/GetBannerCollection`]: {
    message: { bannerCollectionId: "banners-home" },
    resource: COLLECTION,
  },
  [`${BANNERS}/ListBannerCollections`]: {
    message: { projectId: "worldcup", pageSize: 2 },
    resource: PROJECT,
  },
  [`${BANNERS}/UpdateBannerCollection`]: {
    message: {
      bannerCollectionId: "banners-home",
      bannerCollection: { name: "Home" },
      updateMask: "name",
    },
    resource: COLLECTION,
    isWrite: true,
  },
  [`${BANNERS}/DeleteBannerCollection`]: {
    message: deletable("banner_collection", BannerCollectionSchema, { name: "Deletable" }),
    resource: "deletable-banner_collection/worldcup/banner_collection",
    isWrite: true,
  },
};
