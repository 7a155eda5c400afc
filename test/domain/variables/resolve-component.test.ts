import { clone, type DescMessage, equals, getOption } from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TextKind, text as textOption } from "../../../gen/svc/options/v1/text_pb.ts";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import { isUnknownDateMath } from "../../../src/domain/kql/instant.ts";
import { DATA_MEMBERS } from "../../../src/domain/pages/components/data-member.ts";
import { resolveComponent } from "../../../src/domain/variables/resolve-component.ts";
import { createScope } from "../../../src/domain/variables/scope.ts";
import { openCases } from "../../harness/cases.ts";
import { hostileText } from "../kql/arbitraries.ts";
import { withoutSpans } from "../kql/fixtures.ts";
import { createComponent, MEMBERS } from "../pages/components/members.ts";

const each = openCases("variables/resolve-component");

const scope = createScope({
  parameters: { id: "e1" },
  q: 'say "hi" OR *',
  object: {
    kind: "event",
    json: {
      entity_ids: ["a", 'b" OR *'],
      fields: { season: { id: "s9" }, round: 3, live: true, long: "x".repeat(8_192) },
    },
  },
});

function resolved(component: PageComponent, by = scope): PageComponent {
  const got = resolveComponent(component, by);
  if (got.kind === "dropped") throw new Error(`${got.field}: ${got.variable}`);
  return got.component;
}

const byId = (id: string) => ({ content: { case: "id", value: id } });
const byQuery = (query: object) => ({ content: { case: "query", value: query } });

describe("a field is filled with values", () => {
  test.each<readonly [string, object, object]>([
    ["banner_collection", { id: "b-{event.fields.season.id}" }, { id: "b-s9" }],
    ["banner_collection_v2", { id: "{id}" }, { id: "e1" }],
    ["player_profile", { id: "{id}" }, { id: "e1" }],
    ["creative_work_player", byId("{id}"), byId("e1")],
    ["event_player", byId("x{id}{event.fields.round}"), byId("xe13")],
    ["calendar", { filter: "f: {id}" }, { filter: 'f: "e1"' }],
    ["calendar_v2", { filter: "f: {event.fields.live}" }, { filter: "f: true" }],
    ["rail", { filter: " a:1  or not  b : 2 " }, { filter: " a:1  or not  b : 2 " }],
    [
      "rail",
      { filter: "f: {q} and g: {event.fields.round}", search: "{q} x" },
      { filter: String.raw`f: "say \"hi\" OR *" and g: 3`, search: 'say "hi" OR * x' },
    ],
    [
      "rail",
      { filter: "entity_ids: {event.entity_ids} and p:{ a: {id} }" },
      { filter: String.raw`entity_ids: ("a" OR "b\" OR *") and p:{ a: "e1" }` },
    ],
    ...["event_player", "creative_work_player"].map(
      (name) =>
        [
          name,
          byQuery({
            filter: "f: {q} and g: {event.entity_ids}",
            "{id}": "{id}-{event.fields.round}",
            deep: [{ filter: ["not f: {event.fields.season.id}"], list: ["{id}", 1, null, true] }],
            free: ["{", "}{", "{}{a b}{{id}}", "{id", "id}", "{.a}{a.}{1}"],
          }),
          byQuery({
            filter: String.raw`f: "say \"hi\" OR *" and g: ("a" OR "b\" OR *")`,
            "{id}": "e1-3",
            deep: [{ filter: ['not f: "s9"'], list: ["e1", 1, null, true] }],
            free: ["{", "}{", "{}{a b}{e1}", "{id", "id}", "{.a}{a.}{1}"],
          }),
        ] as const,
    ),
    [
      "rail",
      { filter: "f: {id}", additionalFilters: { id: "f: {id}", team: "g: {team.id}" } },
      { filter: 'f: "e1"', additionalFilters: { id: "f: {id}", team: "g: {team.id}" } },
    ],
  ])("%s %j", (name, value, want) => {
    const got = resolved(createComponent(name, value));
    expect(equals(PageComponentSchema, got, createComponent(name, want))).toBe(true);
  });

  test("a rail by its legacy name", () => {
    const type = "content_carousel";
    const got = resolved(createComponent("rail", { search: "{id}" }, { type }));
    expect(got).toEqual(createComponent("rail", { search: "e1" }, { type }));
  });
});

describe("a field that takes no variables stays as it is", () => {
  const braces = "{id}";

  test.each<[string, object]>([
    [
      "rail",
      {
        title: { en: braces },
        description: braces,
        order: braces,
        pinned: [braces],
        additionalSearch: braces,
        card: { a: braces },
      },
    ],
    ["text", { text: { en: braces } }],
    ["event_player", { backgroundImageUrl: braces, info: { a: braces }, paywall: { b: [braces] } }],
    ["player_profile", { id: "x", fallbackImageUrl: braces, name: { a: [braces] } }],
  ])("%s", (name, value) => {
    const component = createComponent(name, value, { name: braces, cssClasses: [braces] });
    expect(equals(PageComponentSchema, resolved(component), component)).toBe(true);
  });

  test.each(Object.keys(MEMBERS).filter((it) => it !== "player_profile"))(
    "the least %s",
    (name) => {
      const component = createComponent(name);
      expect(equals(PageComponentSchema, resolved(component), component)).toBe(true);
    },
  );

  test("a component without a data member", () => {
    const component = clone(PageComponentSchema, createComponent("rail"));
    component.data = { case: undefined };
    expect(resolved(component)).toEqual(component);
  });
});

test.each<[string, object, string, string]>([
  ["rail", { filter: "f: {event.missing} or g: 1" }, "rail.filter", "event.missing"],
  ["rail", { filter: "f: {id}", search: "{entity.id}" }, "rail.search", "entity.id"],
  ["rail", { filter: "f: {a}", search: "{b}" }, "rail.filter", "a"],
  ["rail", { filter: "f: {event.fields}" }, "rail.filter", "event.fields"],
  ["rail", { filter: "f: {event.fields.long}" }, "rail.filter", "event.fields.long"],
  ["rail", { search: "{event.entity_ids}" }, "rail.search", "event.entity_ids"],
  ["calendar", { filter: "f: {x}" }, "calendar.filter", "x"],
  ["calendar_v2", { filter: "f: {x}*" }, "calendar_v2.filter", "x"],
  ["banner_collection", { id: "{x}" }, "banner_collection.id", "x"],
  ["banner_collection_v2", { id: "{x}" }, "banner_collection_v2.id", "x"],
  ["creative_work_player", byId("{x}"), "creative_work_player.id", "x"],
  ["event_player", byId("{x}"), "event_player.id", "x"],
  ["player_profile", { id: "{x}" }, "player_profile.id", "x"],
  ["event_player", byQuery({ filter: "f: {x}" }), "event_player.query.filter", "x"],
  [
    "creative_work_player",
    byQuery({ a: [{ b: "{id}" }, { b: "{event.fields}" }] }),
    "creative_work_player.query.a[1].b",
    "event.fields",
  ],
])(
  "a component is dropped by its first variable without a value: %s %j",
  (name, value, field, variable) => {
    const want = { kind: "dropped", field, variable, reason: "VARIABLE_UNRESOLVED" };
    expect(resolveComponent(createComponent(name, value), scope)).toEqual(want);
  },
);

test("the component that is resolved stays as it was", () => {
  for (const [name, value] of [
    ["rail", { filter: "f: {id}", search: "{q}" }],
    ["rail", { filter: "f: {id}", search: "{x}" }],
    ["event_player", byQuery({ filter: "f: {id}", a: [{ b: ["{q}"] }] })],
    ["event_player", byQuery({ filter: "f: {id}", a: [{ b: ["{x}"] }] })],
  ] as const) {
    const component = createComponent(name, value);
    const before = clone(PageComponentSchema, component);
    resolveComponent(component, scope);
    expect(component).toEqual(before);
  }
});

test("every text with variables is a string of its own in a data member", () => {
  const found: string[] = [];
  const walk = (schema: DescMessage, path: string, seen: readonly DescMessage[]) => {
    for (const field of schema.fields) {
      const kind = getOption(field, textOption);
      const isQuery = kind === TextKind.QUERY && field.message?.typeName.endsWith(".Struct");
      if (kind === TextKind.VARIABLES || kind === TextKind.KQL || isQuery)
        found.push(`${path}${field.name} ${field.fieldKind}`);
      const { message } = field;
      if (message && !seen.includes(message)) {
        walk(message, `${path}${field.name}.`, [...seen, message]);
      }
    }
  };
  walk(PageComponentSchema, "", [PageComponentSchema]);
  expect(found.length).toBeGreaterThan(8);
  expect(found.filter((it) => !/^[a-z0-9_]+\.([a-z_]+ scalar|query message)$/.test(it))).toEqual(
    [],
  );
  expect(found.filter((it) => !DATA_MEMBERS.includes(it.split(".")[0] ?? ""))).toEqual([]);
});

describe("no hostile value changes a filter outside its place", () => {
  const filterOf = (template: string, q: string, id: string) => {
    const by = createScope({ parameters: { q, id } });
    const settings = { filter: template, search: "{q}" };
    const { data } = resolved(createComponent("rail", settings), by);
    if (data.case !== "rail") throw new Error("another data member");
    expect(data.value.search).toBe(q.toWellFormed());
    const player = resolved(createComponent("event_player", byQuery(settings)), by);
    expect(player.data).toMatchObject({
      value: byQuery({ filter: data.value.filter, search: q.toWellFormed() }),
    });
    return data.value.filter;
  };
  /** Answers a tree that says of the clauses on `f`, and of free text, only that they are there. */
  const shapeOf = (filter: string) =>
    JSON.parse(JSON.stringify(withoutSpans(parseKql(filter))), (_, node) => {
      if (!Object.hasOwn(node ?? {}, "name")) return node;
      if (node.name !== null && node.name.path !== "f" && node.name.path !== "b") return node;
      const { kind, parts } = node.value;
      return { ...node, value: { kind, stars: parts?.length } };
    });
  // A bound that only looks like date math is a text elsewhere.
  const value = hostileText.filter((text) => text !== "" && !isUnknownDateMath(text));
  each<[string]>("no hostile value changes a filter outside its place", (template) => {
    const want = shapeOf(filterOf(template, "plain", "plain"));
    fc.assert(
      fc.property(value, value, (q, id) => {
        expect(shapeOf(filterOf(template, q, id))).toEqual(want);
      }),
    );
  });
});
