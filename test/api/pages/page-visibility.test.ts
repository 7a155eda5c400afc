import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { BannerCollectionSchema } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { PageObject } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { BaseType } from "../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { type HttpResponse, metadataOf, rejection } from "../../harness/http.ts";
import { useSmallMarquee } from "../../harness/use-marquee.ts";
import { ALPHA, BETA, createEvent, createSmallDataset } from "../../storage/small-dataset.ts";
import { componentsOf, droppedOf, getComponent, getPage, itemIds, listItems } from "./pages.ts";
import {
  createGrid,
  createPage,
  createPart,
  createRail,
  createVisiblePages,
  NAMES,
  ofEachVisibility,
  type PartData,
  READABLE,
} from "./small-pages.ts";

const byId = (value: string) => ({ content: { case: "id", value } }) as const;
/** The components that show something by its id, by what they show. */
const SHOWING: Readonly<Record<string, (id: string) => PartData>> = {
  banner_collection: (id) => ({ case: "bannerCollection", value: { id } }),
  banner_collection_v2: (id) => ({ case: "bannerCollectionV2", value: { id } }),
  event_player: (id) => ({ case: "eventPlayer", value: byId(id) }),
  creative_work_player: (id) => ({ case: "creativeWorkPlayer", value: byId(id) }),
  player_profile: (id) => ({ case: "playerProfile", value: { id } }),
};
const IDS = [...NAMES, "missing", "beta"];
const PAIRS = NAMES.flatMap((page) => NAMES.map((component) => [page, component] as const));
const to = (id: string) => ({ page_component_id: id });

const DATA = createSmallDataset({
  events: [
    ...ofEachVisibility((id, visibility) => createEvent(id, { visibility })),
    createEvent("beta", { projectId: BETA }),
  ],
  creativeWorks: ofEachVisibility((id, visibility) =>
    create(CreativeWorkSchema, { id, projectId: ALPHA, visibility }),
  ),
  entities: ofEachVisibility((id, visibility) =>
    create(EntitySchema, { id, projectId: ALPHA, visibility }),
  ),
  bannerCollections: ofEachVisibility((id, visibility) =>
    create(BannerCollectionSchema, { id, projectId: ALPHA, visibility }),
  ),
  pages: [
    ...createVisiblePages(),
    createPage(
      "references",
      Object.entries(SHOWING).flatMap(([name, toData]) => [
        ...IDS.map((id) => createPart(`${name}-${id}`, toData(id))),
        createPart(`${name}-variable`, toData("{id}")),
      ]),
      { parameters: ["id"] },
    ),
    createPage("grids", [
      ...PAIRS.map(([page, id]) =>
        createGrid(`to-${page}-${id}`, "reference", to(`${page}-${id}`)),
      ),
      ...["nothing", "event_player-published", "to-published-published", "of-object", "of-id"].map(
        (id) => createGrid(`to-${id}`, "reference", to(id)),
      ),
      createGrid("to-inline", "reference", to("inline")),
      createGrid("inline", "inline", { type: "BASE_TYPE_ENTITY", filter: "id: unlisted" }),
    ]),
    createPage(
      "object",
      [
        createRail("of-object", { filter: "id: {event.id}" }),
        createRail("of-id", { filter: "id: {id}" }, { environments: ["web"] }),
        createRail("broken", { filter: "id: (" }),
        createRail("untyped", { type: BaseType.UNSPECIFIED }),
        createPart("banner", { case: "bannerCollectionV2", value: { id: "b-{id}" } }),
      ],
      { parameters: ["id"], object: PageObject.EVENT },
    ),
  ],
});

const marquee = await useSmallMarquee(DATA);

describe("a component of a page", () => {
  test.each(NAMES)("is shown by the page %s as lists show it", async (page) => {
    const isReadable = READABLE.includes(page);
    const got = await getPage(marquee, { id: page });
    expect(rejection(got)).toEqual(isReadable ? [200, undefined] : [404, "RESOURCE_NOT_FOUND"]);
    if (isReadable) expect([...componentsOf(got).keys()]).toEqual([`${page}-published`]);
    const preview = componentsOf(await getPage(marquee, { id: page }, "preview"));
    expect([...preview.keys()]).toEqual(NAMES.map((name) => `${page}-${name}`));
  });

  test("is the same as on its page", async () => {
    const state = { parameters: { id: "published" }, includeItems: true };
    const page = componentsOf(await getPage(marquee, { slug: "object", ...state }));
    const got = await getComponent(marquee, { id: "of-object", ...state });
    expect(got.json.component).toEqual(page.get("of-object"));
    expect(itemIds(got.json.component.items)).toEqual(["published"]);
  });

  const parameters = { id: "published" };
  test.each([
    [{ id: "published-unlisted", pageId: "published" }, 200, undefined],
    [{ id: "published-unlisted", pageId: "unlisted" }, 404, "RESOURCE_NOT_FOUND"],
    [{ id: "published-unlisted", pageId: "Published" }, 404, "RESOURCE_NOT_FOUND"],
    [{ id: "of-id", parameters, environment: "web" }, 200, undefined],
    [{ id: "of-id", parameters, environment: "ios" }, 404, "RESOURCE_NOT_FOUND"],
    [{ id: "of-id", parameters, environment: "desktop" }, 400, "ENVIRONMENT_UNKNOWN"],
    [{ id: "" }, 400, "FIELD_REQUIRED"],
    [{ id: "published-published", itemsPageSize: -1 }, 400, "PAGE_SIZE_INVALID"],
  ])("asked for by %j is %s %s", async (message, status, reason) => {
    expect(rejection(await getComponent(marquee, message))).toEqual([status, reason]);
  });
});

test("a rail that does not say what it lists is shown without items", async () => {
  const got = await getComponent(marquee, { id: "untyped", includeItems: true });
  expect(got.json.component.component.id).toBe("untyped");
  expect(got.json.component.items).toBeUndefined();
  expect(componentsOf(await getPage(marquee, { slug: "object" })).has("untyped")).toBe(true);
});

describe("what is left out of a page", () => {
  test.each([
    ["of-object", {}, ["rail.filter", "event.id", "VARIABLE_UNRESOLVED"]],
    ["of-id", {}, ["rail.filter", "id", "VARIABLE_UNRESOLVED"]],
    ["broken", {}, ["rail.filter", "", "CONFIGURATION_INVALID"]],
    ["banner", { id: "published" }, ["banner_collection_v2.id", "id", "REFERENCE_NOT_FOUND"]],
  ])("%s by itself says why, with %j", async (id, parameters, want) => {
    const page = droppedOf(await getPage(marquee, { slug: "object", parameters }));
    expect(page.find(([component]) => component === id)).toEqual([id, ...want]);
    const got = await getComponent(marquee, { id, parameters });
    expect([...rejection(got), got.json.code]).toEqual([
      400,
      "COMPONENT_DROPPED",
      "failed_precondition",
    ]);
    const [field, variable, reason] = want;
    expect(metadataOf(got)).toEqual({ component_id: id, field, variable, reason });
  });
});

/** What a response says that is about an object which the key may not see. */
function expectNoObject(got: HttpResponse, id: string): void {
  expect(rejection(got)).toEqual([404, "RESOURCE_NOT_FOUND"]);
  expect(metadataOf(got)).toEqual({
    ...{ resource: `event/${id}`, resource_type: "event", ids: id },
  });
  expect(got.headers.get("cache-control")).toBe("no-store");
}

for (const key of ["public", "preview"] as const) {
  const seen = key === "preview" ? NAMES : READABLE;

  describe(`the ${key} key`, () => {
    test.each([...NAMES, "nothing", "Published", "beta", '" OR *'])(
      "sees the object %s of a page, or finds neither page, component nor items",
      async (id) => {
        const parameters = { id };
        const got = await getPage(marquee, { slug: "object", parameters }, key);
        if (seen.includes(id)) {
          expect(got.json.object?.event.id).toBe(id);
          expect(componentsOf(got).get("of-object")?.filter).toBe(`id: "${id}"`);
          return;
        }
        expectNoObject(got, id);
        expectNoObject(await getComponent(marquee, { id: "of-id", parameters }, key), id);
        expectNoObject(await listItems(marquee, { id: "of-id", parameters }, key), id);
      },
    );

    test.each(IDS)(
      "is shown what a component shows by the id %s, or it is left out",
      async (id) => {
        const message = { slug: "references", includeItems: true, parameters: { id } };
        const got = await getPage(marquee, message, key);
        for (const name of Object.keys(SHOWING)) {
          const { items, bannerCollection } = componentsOf(got).get(`${name}-${id}`) ?? {};
          const shown = [...itemIds(items), ...(bannerCollection ? [bannerCollection.id] : [])];
          expect([name, ...shown]).toEqual([name, ...(seen.includes(id) ? [id] : [])]);
          const isResolved = componentsOf(got).has(`${name}-variable`);
          expect(isResolved).toBe(seen.includes(id));
          if (isResolved) continue;
          for (const [part, variable] of [
            [id, ""],
            ["variable", "id"],
          ]) {
            const dropped = [`${name}-${part}`, `${name}.id`, variable, "REFERENCE_NOT_FOUND"];
            expect(droppedOf(got)).toContainEqual(dropped);
          }
        }
      },
    );

    test("is shown what a grid mirrors", async () => {
      const got = await getPage(marquee, { id: "grids", includeItems: true }, key);
      for (const [page, id] of PAIRS) {
        const grid = `to-${page}-${id}`;
        const isSeen = seen.includes(page) && seen.includes(id);
        const shown = componentsOf(got).get(grid);
        expect([grid, shown?.filter]).toEqual([grid, isSeen ? "id: published" : undefined]);
        expect(itemIds(shown?.items)).toEqual(isSeen ? ["published"] : []);
        const dropped = [grid, "content_grid.reference", "", "REFERENCE_NOT_FOUND"];
        if (!isSeen) expect(droppedOf(got)).toContainEqual(dropped);
      }
    });
  });
}

test("a grid mirrors one inline, and neither a grid, a player, nor what is unresolved", async () => {
  const got = await getPage(marquee, { id: "grids", includeItems: true }, "preview");
  for (const id of ["inline", "to-inline"]) {
    expect(itemIds(componentsOf(got).get(id)?.items)).toEqual(["unlisted"]);
  }
  expect(droppedOf(got).map(([id, , ...why]) => [id, ...why])).toEqual([
    ["to-nothing", "", "REFERENCE_NOT_FOUND"],
    ["to-event_player-published", "", "REFERENCE_NOT_FOUND"],
    ["to-to-published-published", "", "REFERENCE_NOT_FOUND"],
    ["to-of-object", "event.id", "VARIABLE_UNRESOLVED"],
    ["to-of-id", "id", "VARIABLE_UNRESOLVED"],
  ]);
});
