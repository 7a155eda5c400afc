import { describe, expect, test } from "vitest";
import { PageObject } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { BaseType } from "../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { type HttpAnswer, metadataOf, reasonOf, refusal } from "../../harness/http.ts";
import { useSmallMarquee } from "../../harness/use-marquee.ts";
import { BETA, createEvent, createSmallDataset } from "../../storage/small-dataset.ts";
import { componentsOf, droppedOf, getComponent, getPage, itemIds, listItems } from "./pages.ts";
import {
  createPage,
  createPart,
  createRail,
  createVisiblePages,
  NAMES,
  ofEachVisibility,
  READABLE,
} from "./small-pages.ts";

const DATA = createSmallDataset({
  events: [
    ...ofEachVisibility((id, visibility) => createEvent(id, { visibility })),
    createEvent("beta-event", { projectId: BETA }),
  ],
  pages: [
    ...createVisiblePages(),
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
  for (const page of NAMES) {
    for (const component of NAMES) {
      const id = `${page}-${component}`;
      const isReadable = READABLE.includes(page) && READABLE.includes(component);

      test(`${id} is ${isReadable ? "given" : "not given"} to a public key by its id`, async () => {
        const got = await getComponent(marquee, { id, includeItems: true });
        const want = isReadable ? [200, id, undefined] : [404, undefined, "RESOURCE_NOT_FOUND"];
        expect([got.status, got.json.component?.component.id, reasonOf(got)]).toEqual(want);
        expect(got.text.includes('"filter"')).toBe(isReadable);
      });

      test(`${id} is given to a preview key, to none of another project`, async () => {
        const got = await getComponent(marquee, { id }, "preview");
        expect([got.status, got.json.component.component.id]).toEqual([200, id]);
        expect(got.headers.get("cache-control")).toBe("private, no-store");
        expect((await getComponent(marquee, { id }, "sandbox")).status).toBe(404);
      });
    }

    test(`${page} is shown with what lists show`, async () => {
      const isReadable = READABLE.includes(page);
      const got = await getPage(marquee, { id: page });
      expect(refusal(got)).toEqual(isReadable ? [200, undefined] : [404, "RESOURCE_NOT_FOUND"]);
      if (isReadable) expect([...componentsOf(got).keys()]).toEqual([`${page}-published`]);
      const preview = componentsOf(await getPage(marquee, { id: page }, "preview"));
      expect([...preview.keys()]).toEqual(NAMES.map((name) => `${page}-${name}`));
    });
  }

  test("is found on its own page only", async () => {
    const id = "published-unlisted";
    expect((await getComponent(marquee, { id, pageId: "published" })).status).toBe(200);
    for (const pageId of ["unlisted", "Published", "nothing"]) {
      expect(refusal(await getComponent(marquee, { id, pageId }))).toEqual([
        404,
        "RESOURCE_NOT_FOUND",
      ]);
    }
  });

  test("is found in its environments only", async () => {
    const message = { id: "of-id", parameters: { id: "published" } };
    const cases = [
      ["", 200, undefined],
      ["web", 200, undefined],
      ["ios", 404, "RESOURCE_NOT_FOUND"],
      ["desktop", 400, "ENVIRONMENT_UNKNOWN"],
    ] as const;
    for (const [environment, status, reason] of cases) {
      const got = await getComponent(marquee, { ...message, environment });
      expect([environment, got.status, reasonOf(got)]).toEqual([environment, status, reason]);
    }
  });

  test("is the same as on its page", async () => {
    const state = { parameters: { id: "published" }, includeItems: true };
    const page = componentsOf(await getPage(marquee, { slug: "object", ...state }));
    const got = await getComponent(marquee, { id: "of-object", ...state });
    expect(got.json.component).toEqual(page.get("of-object"));
    expect(itemIds(got.json.component.items)).toEqual(["published"]);
  });

  test("needs an id, and no negative number of items", async () => {
    expect(refusal(await getComponent(marquee, { id: "" }))).toEqual([400, "FIELD_REQUIRED"]);
    expect(
      refusal(await getComponent(marquee, { id: "published-published", itemsPageSize: -1 })),
    ).toEqual([400, "PAGE_SIZE_INVALID"]);
  });
});

test("a rail that does not say what it lists is shown without items", async () => {
  const got = await getComponent(marquee, { id: "untyped", includeItems: true });
  expect(got.status).toBe(200);
  expect(got.json.component.component.id).toBe("untyped");
  expect(got.json.component.items).toBeUndefined();
  const page = await getPage(marquee, { slug: "object" });
  expect(
    page.json.components.map((it: { component: { id: string } }) => it.component.id),
  ).toContain("untyped");
});

describe("what is left out of a page", () => {
  const cases: readonly (readonly [string, Record<string, string>, readonly string[]])[] = [
    ["of-object", {}, ["rail.filter", "event.id", "VARIABLE_UNRESOLVED"]],
    ["of-id", {}, ["rail.filter", "id", "VARIABLE_UNRESOLVED"]],
    ["broken", {}, ["rail.filter", "", "CONFIGURATION_INVALID"]],
    ["banner", { id: "published" }, ["banner_collection_v2.id", "id", "REFERENCE_NOT_FOUND"]],
  ];
  for (const [id, parameters, want] of cases) {
    test(`${id} by itself says why, with ${JSON.stringify(parameters)}`, async () => {
      const page = droppedOf(await getPage(marquee, { slug: "object", parameters }));
      expect(page.find(([component]) => component === id)).toEqual([id, ...want]);
      const got = await getComponent(marquee, { id, parameters });
      expect([got.status, got.json.code, reasonOf(got)]).toEqual([
        ...[400, "failed_precondition", "COMPONENT_DROPPED"],
      ]);
      const [field, variable, reason] = want;
      expect(metadataOf(got)).toEqual({ component_id: id, field, variable, reason });
    });
  }
});

/** What an answer says that is about an object which the key may not see. */
function expectNoObject(got: HttpAnswer, id: string): void {
  expect(refusal(got)).toEqual([404, "RESOURCE_NOT_FOUND"]);
  expect(metadataOf(got)).toEqual({ resource: `event ${id}` });
  expect(got.headers.get("cache-control")).toBe("no-store");
}

describe("the object of a page", () => {
  for (const key of ["public", "preview"] as const) {
    test(`that does not exist, or is another project's, is not found by the ${key} key`, async () => {
      for (const id of ["nothing", "Published", "beta-event"]) {
        expectNoObject(await getPage(marquee, { slug: "object", parameters: { id } }, key), id);
      }
    });
  }

  for (const id of NAMES) {
    for (const key of ["public", "preview"] as const) {
      const isSeen = key === "preview" || READABLE.includes(id);
      test(`that is ${id} is ${isSeen ? "shown to" : "kept from"} the ${key} key`, async () => {
        const parameters = { id };
        const got = await getPage(marquee, { slug: "object", parameters }, key);
        if (!isSeen) {
          expectNoObject(got, id);
          expectNoObject(await getComponent(marquee, { id: "of-id", parameters }, key), id);
          expectNoObject(await listItems(marquee, { id: "of-id", parameters }, key), id);
          return;
        }
        expect(got.json.object?.event.id).toBe(id);
        expect(componentsOf(got).get("of-object")?.filter).toBe(`id: "${id}"`);
      });
    }
  }
});
