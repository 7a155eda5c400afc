import {
  clone,
  type DescMessage,
  equals,
  getOption,
  type JsonObject,
  toJson,
} from "@bufbuild/protobuf";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TextKind, text as textOption } from "../../../gen/svc/options/v1/text_pb.ts";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { resolveComponent } from "../../../packages/client/src/variables.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import { isUnknownDateMath } from "../../../src/domain/kql/instant.ts";
import { DATA_MEMBERS } from "../../../src/domain/pages/components/data-member.ts";
import { createScope } from "../../../src/domain/variables/text-template.ts";
import { openCases } from "../../harness/cases.ts";
import { hostileText } from "../kql/arbitraries.ts";
import { withoutSpans } from "../kql/fixtures.ts";
import { createComponent, MEMBERS, readComponent } from "../pages/components/members.ts";

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

const byQuery = (query: object) => ({ content: { case: "query", value: query } });

each<[JsonObject, JsonObject]>("a field is filled with values", (component, want) => {
  expect(toJson(PageComponentSchema, resolved(readComponent(component)))).toEqual(
    toJson(PageComponentSchema, readComponent(want)),
  );
});

test("a rail is filled by its legacy name", () => {
  const type = "content_carousel";
  const got = resolved(createComponent("rail", { search: "{id}" }, { type }));
  expect(got).toEqual(createComponent("rail", { search: "e1" }, { type }));
});

each<[JsonObject]>("a field that takes no variables stays as it is", (json) => {
  const component = readComponent({ ...json, name: "{id}", css_classes: ["{id}"] });
  expect(equals(PageComponentSchema, resolved(component), component)).toBe(true);
});

test.each(Object.keys(MEMBERS).filter((it) => it !== "player_profile"))(
  "the least %s stays as it is",
  (name) => {
    const component = createComponent(name);
    expect(equals(PageComponentSchema, resolved(component), component)).toBe(true);
  },
);

test("a component without a data member stays as it is", () => {
  const component = clone(PageComponentSchema, createComponent("rail"));
  component.data = { case: undefined };
  expect(resolved(component)).toEqual(component);
});

each<[JsonObject, string, string]>(
  "a component is dropped by its first variable without a value",
  (component, field, variable) => {
    const want = { kind: "dropped", field, variable, reason: "VARIABLE_UNRESOLVED" };
    expect(resolveComponent(readComponent(component), scope)).toEqual(want);
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
  /** Returns a tree that says of the clauses on `f`, and of free text, only that they are there. */
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
