import { randomBytes } from "node:crypto";
import { create } from "@bufbuild/protobuf";
import { beforeEach, expect, test } from "vitest";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { BannerCollectionSchema } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { PageObject } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import type { PageComponent } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { override } from "../../harness/override.ts";
import { useSmallMarquee } from "../../harness/use-marquee.ts";
import { keepProjectKey } from "../../storage/project-key.ts";
import { ALPHA, createEvent, createSmallDataset } from "../../storage/small-dataset.ts";
import { componentsOf, getPage } from "./pages.ts";
import { createGrid, createPage, createPart, createRail } from "./small-pages.ts";

const NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8, 9];
const visibility = Visibility.PUBLISHED;
const projectId = ALPHA;
const each = <T>(make: (id: string) => T) => NUMBERS.map((number) => make(`i${number}`));
const byId = (value: string) => ({ content: { case: "id", value } }) as const;

/** A page with nine of every kind of component that shows something. */
const PARTS: readonly PageComponent[] = [
  ...each((id) => createPart(`b-${id}`, { case: "bannerCollectionV2", value: { id } })),
  ...each((id) => createPart(`e-${id}`, { case: "eventPlayer", value: byId(id) })),
  ...each((id) => createPart(`c-${id}`, { case: "creativeWorkPlayer", value: byId(id) })),
  ...each((id) => createPart(`p-${id}`, { case: "playerProfile", value: { id } })),
  ...each((id) => createGrid(`g-${id}`, "reference", { page_component_id: `r-${id}` })),
];

const DATA = createSmallDataset({
  events: each((id) => createEvent(id, {})),
  creativeWorks: each((id) => create(CreativeWorkSchema, { id, projectId, visibility })),
  entities: each((id) => create(EntitySchema, { id, projectId, visibility })),
  bannerCollections: each((id) => create(BannerCollectionSchema, { id, projectId, visibility })),
  pages: [
    createPage("many", PARTS, { parameters: ["id"], object: PageObject.EVENT }),
    createPage(
      "rails",
      each((id) => createRail(`r-${id}`, { pinned: ["i1"] })),
    ),
  ],
});

/** The reads of content by name; reads of no ids are none. */
let reads: string[] = [];

function countReads(store: Store): Store {
  const count = <T extends object>(name: string, part: T): T =>
    new Proxy(part, {
      get(target, method, receiver) {
        const member = Reflect.get(target, method, receiver);
        if (typeof member !== "function") return member;
        return (query: { ids?: readonly string[] }, ...rest: unknown[]) => {
          if (query?.ids?.length !== 0) reads.push(`${name}.${String(method)}`);
          return member.call(target, query, ...rest);
        };
      },
    });
  const { pages, visibleDocuments, creativeWorks, entities, events } = store;
  return override(store, {
    pages: count("pages", pages),
    creativeWorks: count("creativeWorks", creativeWorks),
    entities: count("entities", entities),
    events: count("events", events),
    visibleDocuments: count("visibleDocuments", visibleDocuments),
  });
}

const marquee = await useSmallMarquee(DATA, {}, countReads);
beforeEach(async () => {
  // A change of the project, after which everything is read again.
  await keepProjectKey(marquee.store, ALPHA, "public", randomBytes(32));
  reads = [];
});

test("a page asks each store once, however many components it has", async () => {
  const got = await getPage(marquee, { id: "many", parameters: { id: "i1" } });
  expect(componentsOf(got).size).toBe(PARTS.length);
  expect(reads.toSorted()).toEqual([
    "creativeWorks.getMany",
    "entities.getMany",
    // The page's own event, and those of the players.
    "events.getMany",
    "events.getMany",
    "pages.get",
    "pages.getComponents",
    "visibleDocuments.getMany",
  ]);
});

test("a page and what editors put on it are read again only after a change", async () => {
  const read = () => getPage(marquee, { id: "many", parameters: { id: "i1" } }, "public", "POST");
  const first = await read();
  expect(reads).toContain("pages.get");
  reads = [];
  expect((await read()).text).toBe(first.text);
  const contents = ["creativeWorks.getMany", "entities.getMany", "events.getMany"];
  expect(reads.toSorted()).toEqual([...contents, "events.getMany"]);
});

test("a page lists only what is asked for", async () => {
  await getPage(marquee, { id: "rails" });
  expect(reads).toEqual(["pages.get"]);
});

test("a page lists the items of its components at the same time", async () => {
  await getPage(marquee, { id: "rails", includeItems: true });
  const pinned = NUMBERS.map(() => "events.getMany");
  expect(reads).toEqual(["pages.get", ...pinned, ...NUMBERS.map(() => "events.list")]);
});

test("what is hidden is not listed", async () => {
  await getPage(marquee, { id: "rails", includeItems: true, session: { other: 1 } });
  expect(reads).toEqual(["pages.get"]);
});
