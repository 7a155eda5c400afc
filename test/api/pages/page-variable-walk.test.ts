import { create, type DescField, getOption, type JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { BannerCollectionSchema } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { TextKind, text as textOption } from "../../../gen/svc/options/v1/text_pb.ts";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import { useSmallMarquee } from "../../harness/use-marquee.ts";
import { ALPHA, createEvent, createSmallDataset } from "../../storage/small-dataset.ts";
import { componentsOf, droppedOf, getComponent, getPage } from "./pages.ts";
import { createGrid, createPage, createPart, type PartData } from "./small-pages.ts";

/** Values of a parameter that would be syntax in a filter or a variable, each the id of something. */
const VALUES = [
  "plain",
  "{id}",
  "{q}",
  "{event.id}",
  '" OR *',
  "a) or (b: *",
  "* or not x",
  'a"b\\',
  "}{",
  "😀\n\t",
];

/** A text of a component that takes variables: where it lies in JSON, and whether it is KQL. */
interface TextPlace {
  readonly component: PageComponent;
  readonly path: readonly (string | number)[];
  readonly isKql: boolean;
}

const template = (isKql: boolean) => (isKql ? "id: {id} and not x: y" : "{id}");

function toPlace(id: string, data: PartData, path: TextPlace["path"], isKql: boolean): TextPlace {
  return { component: createPart(id, data), path, isKql };
}

/** Every text that its descriptor says takes variables, by itself in a component. */
function placesOf(member: DescField, field: DescField): TextPlace[] {
  const kind = getOption(field, textOption);
  const id = `${member.name}.${field.name}`;
  const path = [member.jsonName, field.jsonName];
  const toData = (value: JsonValue) =>
    ({
      case: member.localName,
      value:
        field.oneof === undefined
          ? { [field.localName]: value }
          : { [field.oneof.localName]: { case: field.localName, value } },
    }) as PartData;
  switch (kind) {
    case TextKind.VARIABLES:
    case TextKind.KQL: {
      const isKql = kind === TextKind.KQL;
      return [toPlace(id, toData(template(isKql)), path, isKql)];
    }
    case TextKind.QUERY:
      return [
        toPlace(
          `${id}.text`,
          toData({ a: [{ b: template(false) }] }),
          [...path, "a", 0, "b"],
          false,
        ),
        toPlace(`${id}.filter`, toData({ filter: template(true) }), [...path, "filter"], true),
        toPlace(
          `${id}.deep`,
          toData({ a: { filter: [template(true)] } }),
          [...path, "a", "filter", 0],
          true,
        ),
      ];
    default:
      return [];
  }
}

const INLINE = ["contentGrid", "inline"];
const PLACES: readonly TextPlace[] = [
  ...(PageComponentSchema.oneofs[0]?.fields ?? []).flatMap((member) =>
    (member.message?.fields ?? []).flatMap((field) => placesOf(member, field)),
  ),
  ...[true, false].map((isKql) => {
    const name = isKql ? "filter" : "search";
    const inline = { type: "BASE_TYPE_EVENT", [name]: template(isKql) };
    return {
      component: createGrid(`content_grid.inline.${name}`, "inline", inline),
      ...{ path: [...INLINE, name], isKql },
    };
  }),
];

const SHOWN = { projectId: ALPHA, visibility: Visibility.PUBLISHED };

const DATA = createSmallDataset({
  events: VALUES.map((id) => createEvent(id, {})),
  creativeWorks: VALUES.map((id) => create(CreativeWorkSchema, { id, ...SHOWN })),
  entities: VALUES.map((id) => create(EntitySchema, { id, ...SHOWN })),
  bannerCollections: VALUES.map((id) => create(BannerCollectionSchema, { id, ...SHOWN })),
  pages: [
    createPage(
      "texts",
      PLACES.map(({ component }) => component),
      { parameters: ["id"] },
    ),
  ],
});

const marquee = await useSmallMarquee(DATA);

test("there are texts to walk through, those of the contract among them", () => {
  expect(PLACES.map(({ component }) => component.id)).toEqual(
    expect.arrayContaining([
      ...["banner_collection.id", "banner_collection_v2.id", "calendar.filter"],
      ...["calendar_v2.filter", "rail.filter", "rail.search", "content_grid.inline.filter"],
      ...["creative_work_player.id", "creative_work_player.query.filter", "event_player.id"],
      ...["event_player.query.filter", "event_player.query.text", "player_profile.id"],
    ]),
  );
});

function readText(json: unknown, path: TextPlace["path"]): unknown {
  return path.reduce<unknown>((value, name) => (value as Record<string, unknown>)?.[name], json);
}

/** The value that a filter compares the id with; everything else in it is as it was written. */
function comparedWith(filter: string): unknown {
  const tree = parseKql(filter);
  if (tree.type !== "and" || tree.items.length !== 2) throw new Error(`${filter} is another tree`);
  const [is, not] = tree.items;
  expect(not).toMatchObject({
    type: "not",
    item: { type: "is", value: { kind: "text", text: "y" } },
  });
  if (is?.type !== "is" || is.value.kind !== "text")
    throw new Error(`${filter} compares otherwise`);
  return is.value.text;
}

describe("every text that takes variables", () => {
  for (const value of VALUES) {
    test(`has ${JSON.stringify(value)} in the place of its variable, as a value`, async () => {
      const parameters = { id: value };
      const got = await getPage(marquee, { id: "texts", parameters, includeItems: true });
      expect(droppedOf(got)).toEqual([]);
      const shown = componentsOf(got);
      for (const { component, path, isKql } of PLACES) {
        const text = String(readText(shown.get(component.id)?.component, path));
        expect([component.id, isKql ? comparedWith(text) : text]).toEqual([component.id, value]);
        const alone = await getComponent(marquee, { id: component.id, parameters });
        expect(readText(alone.json.component.component, path)).toBe(text);
      }
    });
  }

  test("is dropped with its path without a value, and no brace reaches a client", async () => {
    const got = await getPage(marquee, { id: "texts", includeItems: true });
    expect(componentsOf(got).size).toBe(0);
    const dropped = droppedOf(got);
    expect(dropped.map(([id]) => id)).toEqual(PLACES.map(({ component }) => component.id));
    for (const [id = "", field = "", variable, reason] of dropped) {
      expect([variable, reason]).toEqual(["id", "VARIABLE_UNRESOLVED"]);
      expect(`${id} ${field}`).toMatch(/^([a-z_0-9]+\.[a-z]+).* \1/);
    }
    expect(got.text).not.toContain("{id}");
  });
});
