import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { BannerCollectionSchema } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { PageObject } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { useSmallMarquee } from "../../harness/use-marquee.ts";
import { ALPHA, BETA, createEvent, createSmallDataset } from "../../storage/small-dataset.ts";
import { componentsOf, droppedOf, getPage, itemIds } from "./pages.ts";
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

/** The components that show something by its id, by what they show. */
const SHOWING: Readonly<Record<string, (id: string) => PartData>> = {
  banner_collection: (value: string) => ({ case: "bannerCollection", value: { id: value } }),
  banner_collection_v2: (value: string) => ({ case: "bannerCollectionV2", value: { id: value } }),
  event_player: (value: string) => ({ case: "eventPlayer", value: byId(value) }),
  creative_work_player: (value: string) => ({ case: "creativeWorkPlayer", value: byId(value) }),
  player_profile: (value: string) => ({ case: "playerProfile", value: { id: value } }),
};
const byId = (value: string) => ({ content: { case: "id", value } }) as const;
const IDS = [...NAMES, "missing", "beta"];

function to(id: string) {
  return { page_component_id: id };
}

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
      ...NAMES.flatMap((page) =>
        NAMES.map((id) => createGrid(`to-${page}-${id}`, "reference", to(`${page}-${id}`))),
      ),
      createGrid("to-nothing", "reference", to("nothing")),
      createGrid("to-player", "reference", to("event_player-published")),
      createGrid("to-grid", "reference", to("to-published-published")),
      createGrid("to-inline", "reference", to("inline")),
      createGrid("to-object", "reference", to("of-object")),
      createGrid("to-id", "reference", to("of-id")),
      createGrid("inline", "inline", { type: "BASE_TYPE_ENTITY", filter: "id: unlisted" }),
    ]),
    createPage(
      "object",
      [
        createRail("of-object", { filter: "id: {event.id}" }),
        createRail("of-id", { filter: "id: {id}" }),
      ],
      { parameters: ["id"], object: PageObject.EVENT },
    ),
  ],
});

const marquee = await useSmallMarquee(DATA);

describe("what a component shows by id", () => {
  for (const name of Object.keys(SHOWING)) {
    for (const id of IDS) {
      for (const key of ["public", "preview"] as const) {
        const isThere = key === "preview" ? NAMES.includes(id) : READABLE.includes(id);
        test(`${name} ${id} is ${isThere ? "shown" : "not found"} for the ${key} key`, async () => {
          const message = { slug: "references", includeItems: true, parameters: { id } };
          const got = await getPage(marquee, message, key);
          const literal = [`${name}-${id}`, `${name}.id`, "", "REFERENCE_NOT_FOUND"];
          const variable = [`${name}-variable`, `${name}.id`, "id", "REFERENCE_NOT_FOUND"];
          if (isThere) {
            for (const part of [`${name}-${id}`, `${name}-variable`]) {
              const { items, bannerCollection } = componentsOf(got).get(part) ?? {};
              const shown = [...itemIds(items), ...(bannerCollection ? [bannerCollection.id] : [])];
              expect(shown).toEqual([id]);
            }
          } else {
            expect(droppedOf(got)).toContainEqual(literal);
            expect(droppedOf(got)).toContainEqual(variable);
          }
        });
      }
    }
  }
});

describe("a grid that mirrors", () => {
  for (const key of ["public", "preview"] as const) {
    test(`shows what the ${key} key may see`, async () => {
      const got = await getPage(marquee, { id: "grids", includeItems: true }, key);
      for (const page of NAMES) {
        for (const id of NAMES) {
          const grid = `to-${page}-${id}`;
          const isSeen = key === "preview" || (READABLE.includes(page) && READABLE.includes(id));
          const shown = componentsOf(got).get(grid);
          expect([grid, shown?.filter]).toEqual([grid, isSeen ? "id: published" : undefined]);
          expect(itemIds(shown?.items)).toEqual(isSeen ? ["published"] : []);
          const dropped = [grid, "content_grid.reference", "", "REFERENCE_NOT_FOUND"];
          if (!isSeen) expect(droppedOf(got)).toContainEqual(dropped);
        }
      }
    });
  }

  test("an inline grid shows its items, and is one itself", async () => {
    const got = await getPage(marquee, { id: "grids", includeItems: true }, "preview");
    for (const id of ["inline", "to-inline"]) {
      expect(itemIds(componentsOf(got).get(id)?.items)).toEqual(["unlisted"]);
    }
  });

  const left: readonly (readonly [string, string, string])[] = [
    ["to-nothing", "", "REFERENCE_NOT_FOUND"],
    ["to-player", "", "REFERENCE_NOT_FOUND"],
    ["to-grid", "", "REFERENCE_NOT_FOUND"],
    ["to-object", "event.id", "VARIABLE_UNRESOLVED"],
    ["to-id", "id", "VARIABLE_UNRESOLVED"],
  ];
  for (const [id, ...want] of left) {
    test(`${id} is left out`, async () => {
      const got = await getPage(marquee, { id: "grids", parameters: { id: "published" } });
      expect(droppedOf(got)).toContainEqual([id, "content_grid.reference", ...want]);
    });
  }
});
