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
import { ENVIRONMENTS } from "../../../src/domain/pages/components/check.ts";
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

/** Every field that takes variables (contract: variables 2), with one, and what it becomes. */
const VARIABLE_FIELDS: readonly (readonly [string, JsonObject, JsonObject])[] = [
  ["banner_collection", { id: "{id}" }, { id: "thing" }],
  ["banner_collection_v2", { id: "th{event.fields.ending}" }, { id: "thing" }],
  ["calendar", { filter: "id: {id}" }, { filter: 'id: "thing"' }],
  ["calendar_v2", { filter: "f: {event.fields.ids}" }, { filter: 'f: ("a" OR 2)' }],
  ["rail", { type: "BASE_TYPE_EVENT", filter: "f: {q}" }, { filter: 'f: "cup final"' }],
  ["rail", { type: "BASE_TYPE_EVENT", search: "{q} of {id}" }, { search: "cup final of thing" }],
  ["creative_work_player", { id: "{id}" }, { id: "thing" }],
  ["event_player", { id: "{event.id}" }, { id: "thing" }],
  ["player_profile", { id: "{id}" }, { id: "thing" }],
  [
    "event_player",
    { query: { filter: "f: {q}", a: ["{id}"] } },
    { query: { filter: 'f: "cup final"', a: ["thing"] } },
  ],
];

/** Fields that take none, each with what would be one. */
const OTHER_FIELDS: readonly (readonly [string, JsonObject])[] = [
  [
    "rail",
    {
      ...{ type: "BASE_TYPE_EVENT", title: { en: "{id}" }, description: "{q}", pinned: ["{id}"] },
      ...{ additionalSearch: "{id}", card: { a: "{id}" }, background: { b: ["{q}"] } },
    },
  ],
  [
    "event_player",
    {
      id: "thing",
      backgroundImageUrl: "{id}",
      info: { a: "{event.id}" },
      paywall: { b: ["{id}"] },
    },
  ],
  ["player_profile", { id: "thing", fallbackImageUrl: "{id}", name: { keypath: "{id}" } }],
  ["offers", { title: { en: "{q}" }, titleColor: "{id}" }],
  ["text", { text: { en: "{id}" } }],
  ["html", { html: "{id}" }],
];

const KINDS = {
  event: PageObject.EVENT,
  entity: PageObject.ENTITY,
  creative_work: PageObject.CREATIVE_WORK,
} as const;

const THING = { id: "thing", projectId: ALPHA, visibility: VISIBILITIES.published };
const FIELDS = { ending: "ing", ids: ["a", 2], season: { id: "s1" } };

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
        ...VARIABLE_FIELDS.map(([name, value], at) => fromStudio(`variable-${at}`, name, value)),
        ...OTHER_FIELDS.map(([name, value], at) => fromStudio(`other-${at}`, name, value)),
      ],
      { parameters: ["id"], object: PageObject.EVENT },
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
    createPage("groups", [
      createPart("alone", { case: "text", value: {} }),
      createPart("first", { case: "text", value: {} }, { groupId: "both" }),
      createPart("second", { case: "text", value: {} }, { groupId: "both" }),
    ]),
    createPage("rails", [
      createRail("old", { filter: "id: thing" }, { type: "content_carousel" }),
      createRail("or", {
        filter: "a: 1 or b: 2",
        additionalFilters: { x: "c: {x} or d: {x}", y: "e: {y.z}" },
      }),
      createRail("entities", { type: BaseType.ENTITY, excludeGeoblocked: true }),
    ]),
    createPage("events", [createRail("not-blocked", { excludeGeoblocked: true })]),
  ],
});

const COUNTRY = "x-viewer-country";

const marquee = await useSmallMarquee(DATA, { countryHeader: COUNTRY });

const PARAMETERS = { id: "thing", q: "cup final" };
const memberOf = (shown: object | undefined, member: string): unknown =>
  (shown as { component: JsonObject } | undefined)?.component[
    member.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  ];

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
  for (const [at, [member, , want]] of VARIABLE_FIELDS.entries()) {
    test(`are resolved in ${member}.${Object.keys(want)}`, async () => {
      const got = await getPage(marquee, { slug: "variables", parameters: PARAMETERS });
      const shown = componentsOf(got).get(`variable-${at}`);
      expect(memberOf(shown, member)).toMatchObject(want);
    });
  }

  for (const [at, [member, value]] of OTHER_FIELDS.entries()) {
    test(`are none in the other fields of ${member}`, async () => {
      const got = await getPage(marquee, { slug: "variables", parameters: PARAMETERS });
      const shown = componentsOf(got).get(`other-${at}`);
      expect(memberOf(shown, member)).toEqual(value);
    });
  }

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

  test("in its group, without one in a group of its own id", async () => {
    const shown = componentsOf(await getPage(marquee, { slug: "groups" })).values();
    const got = Array.from(shown, ({ component }) => [component.id, component.groupId]);
    expect(got).toEqual([
      ["alone", "alone"],
      ["first", "both"],
      ["second", "both"],
    ]);
  });
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
