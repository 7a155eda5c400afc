import { create, fromJson, type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { BannerCollectionSchema } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { PageObject } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { BaseType } from "../../../gen/svc/studio/ott/page_component/v2/rail_pb.ts";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import { ENVIRONMENTS } from "../../../src/domain/pages/components/environment.ts";
import { connectHeaders } from "../../harness/calls.ts";
import { send } from "../../harness/http.ts";
import { useSmallMarquee } from "../../harness/use-marquee.ts";
import { ALPHA, createEvent, createSmallDataset } from "../../storage/small-dataset.ts";
import { dataMembers, opaque } from "./data-members.ts";
import { componentsOf, droppedOf, getPage, itemIds } from "./pages.ts";
import { createPage, createPart, createRail, VISIBILITIES } from "./small-pages.ts";

/** Creates a published component from the JSON that studio takes. */
function fromStudio(id: string, member: string, value: JsonValue, more: JsonObject = {}) {
  return fromJson(PageComponentSchema, {
    ...{ id, project_id: ALPHA, type: member, visibility: "VISIBILITY_PUBLISHED" },
    ...{ [member]: value, ...more },
  });
}

/** The data members with all their fields, in the places of variables what is there. */
const WITHOUT_VARIABLES: Readonly<Record<string, JsonValue>> = {
  ...(dataMembers as Readonly<Record<string, JsonObject>>),
  ...Object.fromEntries(
    Object.entries({
      banner_collection: { id: "thing" },
      banner_collection_v2: { id: "thing" },
      calendar: { filter: "id: thing" },
      calendar_v2: { filter: "id: thing" },
      rail: { search: "words" },
      content_grid: { inline: { ...opaque, type: "BASE_TYPE_EVENT", filter: "" } },
      creative_work_player: { id: "thing" },
      player_profile: { id: "thing" },
    }).map(([name, changes]) => [name, { ...dataMembers[name], ...changes } as JsonValue]),
  ),
};

const ABOUT = {
  environments: [...ENVIRONMENTS],
  css_classes: ["wide", "sticky"],
  name: "A {name}",
};

const MEMBERS: readonly PageComponent[] = Object.entries(WITHOUT_VARIABLES).map(([name, value]) =>
  fromStudio(`all-${name}`, name, value, ABOUT),
);

/** Values of a parameter that would be syntax in a filter or a variable. */
const HOSTILE = ["{q}", "{event.id}", '" OR *', "a) or (b: *", 'a"b\\', "😀\n\t"];

const KINDS = {
  event: PageObject.EVENT,
  entity: PageObject.ENTITY,
  creative_work: PageObject.CREATIVE_WORK,
} as const;

const THING = { id: "thing", projectId: ALPHA, visibility: VISIBILITIES.published };
const FIELDS = { season: { id: "s1" } };

const DATA = createSmallDataset({
  events: [
    createEvent("thing", { fields: FIELDS, videoIds: ["v"], entityIds: ["thing"] }),
    createEvent("other", {}),
  ],
  creativeWorks: [create(CreativeWorkSchema, { ...THING, fields: FIELDS })],
  entities: [create(EntitySchema, { ...THING, fields: FIELDS })],
  bannerCollections: [create(BannerCollectionSchema, THING)],
  rulesets: [
    create(VideoProtectionRulesetSchema, {
      id: "not-in-germany",
      projectId: ALPHA,
      geoRestrictions: { case: "geoRestrictionsDisallow", value: { countryCodes: ["DE"] } },
      applicability: { case: "appliesToAll", value: true },
    }),
  ],
  pages: [
    createPage("members", MEMBERS),
    createPage(
      "variables",
      [
        fromStudio("filter", "rail", { type: "BASE_TYPE_EVENT", filter: "f: ({id} or a)" }),
        fromStudio("search", "rail", { type: "BASE_TYPE_EVENT", search: "{id} of {id}" }),
        fromStudio("query", "event_player", { query: { a: [{ filter: "f: {id}", b: "{id}" }] } }),
        fromStudio("title", "rail", { type: "BASE_TYPE_EVENT", title: { en: "{id}" } }),
      ],
      { parameters: ["id"] },
    ),
    ...Object.entries(KINDS).map(([kind, object]) =>
      createPage(
        `about-${kind}`,
        Object.keys(KINDS).map((path) =>
          createRail(`${kind}-${path}`, { filter: `f: {${path}.fields.season.id}` }),
        ),
        { parameters: ["id"], object },
      ),
    ),
    createPage("environments", [
      createPart("everywhere", { case: "text", value: {} }),
      ...ENVIRONMENTS.map((it) =>
        createPart(`only-${it}`, { case: "text", value: {} }, { environments: [it] }),
      ),
      createPart("two", { case: "text", value: {} }, { environments: ["tvos", "lg"] }),
    ]),
    createPage("rails", [
      createRail("old", { filter: "id: thing" }, { type: "content_carousel" }),
      createRail("entities", { type: BaseType.ENTITY, excludeGeoblocked: true }),
    ]),
    createPage("events", [createRail("not-blocked", { excludeGeoblocked: true })]),
  ],
});

const COUNTRY = "x-viewer-country";

const marquee = await useSmallMarquee(DATA, { location: { countryHeader: COUNTRY } });

describe("a component is given as it is stored, but for its variables", () => {
  for (const stored of MEMBERS) {
    test(stored.type, async () => {
      const shown = componentsOf(await getPage(marquee, { slug: "members" })).get(stored.id);
      const want = toJson(PageComponentSchema, stored) as JsonObject;
      expect(shown?.component).toEqual({ ...want, groupId: stored.id });
    });
  }

  test("and none of the nineteen is left out", async () => {
    const got = await getPage(marquee, { slug: "members" });
    expect([droppedOf(got), componentsOf(got).size]).toEqual([[], 19]);
  });
});

describe("variables", () => {
  test.each(HOSTILE)("have the value %j as a value, and are none in other texts", async (id) => {
    const got = await getPage(marquee, { slug: "variables", parameters: { id } });
    const shown = componentsOf(got);
    const [is] = Object.values(parseKql(shown.get("filter")?.filter ?? ""));
    expect(is).toBe("or");
    expect(shown.get("filter")?.filter).toMatch(/^f: \(".*" or a\)$/s);
    expect(shown.get("search")?.search).toBe(`${id} of ${id}`);
    const component = (name: string) => shown.get(name)?.component as unknown as JsonObject;
    const filter = expect.stringMatching(/^f: ".*"$/s);
    expect(component("query").eventPlayer).toEqual({ query: { a: [{ filter, b: id }] } });
    expect(component("title").rail).toMatchObject({ title: { en: "{id}" } });
  });

  for (const kind of Object.keys(KINDS)) {
    test(`of a page about ${kind} are paths into it and into nothing else`, async () => {
      const message = { slug: `about-${kind}`, parameters: { id: "thing" } };
      const got = await getPage(marquee, message);
      const shown = componentsOf(got);
      expect([...shown.keys()]).toEqual([`${kind}-${kind}`]);
      expect(shown.get(`${kind}-${kind}`)?.filter).toBe('f: "s1"');
      const others = Object.keys(KINDS).filter((it) => it !== kind);
      expect(droppedOf(got)).toEqual(
        others.map((path) => [
          ...[`${kind}-${path}`, "rail.filter", `${path}.fields.season.id`, "VARIABLE_UNRESOLVED"],
        ]),
      );
    });
  }
});

describe("a component is rendered", () => {
  for (const environment of ["", ...ENVIRONMENTS]) {
    test(`in '${environment}' if it is for it, or for none`, async () => {
      const got = await getPage(marquee, { slug: "environments", environment });
      const want = ["everywhere", ...(environment === "" ? ENVIRONMENTS : [environment])];
      const both = ["", "tvos", "lg"].includes(environment) ? ["two"] : [];
      const names = want.map((it) => (it === "everywhere" ? it : `only-${it}`));
      expect([...componentsOf(got).keys()]).toEqual([...names, ...both]);
    });
  }
});

test("a rail by its legacy name content_carousel lists as a rail and keeps the name", async () => {
  const got = await getPage(marquee, { slug: "rails", includeItems: true });
  const { component, items } = componentsOf(got).get("old") ?? {};
  expect([component?.type, itemIds(items)]).toEqual(["content_carousel", ["thing"]]);
});

test("exclude_geoblocked is nothing to a rail of entities, and anybody may keep its page", async () => {
  const read = async (slug: string) =>
    send("POST", `${marquee.url}/svc.cda.ott.page.v1.PageService/GetPage`, {
      headers: { ...connectHeaders(marquee.keys.public), [COUNTRY]: "DE" },
      body: { slug, includeItems: true },
    });
  const entities = await read("rails");
  expect(itemIds(componentsOf(entities).get("entities")?.items)).toEqual(["thing"]);
  expect(entities.headers.get("cache-control")).toMatch(/^public/);
  const events = await read("events");
  expect(itemIds(componentsOf(events).get("not-blocked")?.items)).toEqual([]);
  expect(events.headers.get("cache-control")).toBe("private, no-store");
});
