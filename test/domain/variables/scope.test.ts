import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { createScope, type PageObject } from "../../../src/domain/variables/scope.ts";

const PARAMETERS = {
  id: "e1",
  "season.id": "s0",
  empty: "",
  event: "from-url",
  "event.id": "forged",
  "entity.id": "forged",
};

const EVENT: JsonObject = {
  id: "e1",
  start_time: "2026-06-11T19:00:00Z",
  title: { en: "Harbor City vs North" },
  entity_ids: ["a", "b"],
  nothing: null,
  blank: "",
  none: [],
  nulls: [null, "", [null]],
  mixed: ["x", null, "", 2, false],
  fields: { season: { id: "s9" }, round: 0, live: false, teams: [{ id: "t1" }, {}, { id: "" }] },
};

const object: PageObject = { kind: "event", json: EVENT };

describe("a variable has the value of", () => {
  const cases: readonly (readonly [string, JsonValue])[] = [
    ["id", "e1"],
    ["q", "final"],
    ["season.id", "s0"],
    ["event", "from-url"],
    ["event.id", "e1"],
    ["event.start_time", "2026-06-11T19:00:00Z"],
    ["event.title.en", "Harbor City vs North"],
    ["event.fields.season.id", "s9"],
    ["event.fields.round", 0],
    ["event.fields.live", false],
    ["event.entity_ids", ["a", "b"]],
    ["event.fields.teams.id", ["t1"]],
    ["event.mixed", ["x", 2, false]],
    ["event.fields.season", { id: "s9" }],
  ];
  for (const [path, want] of cases) {
    test(`${path}: ${JSON.stringify(want)}`, () => {
      expect(createScope({ parameters: PARAMETERS, q: "final", object })(path)).toEqual(want);
    });
  }

  for (const kind of ["event", "entity", "creative_work"] as const) {
    test(`${kind}.id when the page is about one`, () => {
      const scope = createScope({ parameters: {}, object: { kind, json: { id: "x" } } });
      expect(scope(`${kind}.id`)).toBe("x");
    });
  }
});

describe("a variable has no value when it is", () => {
  const paths = [
    "",
    "missing",
    "empty",
    "ID",
    "id.length",
    "toString",
    "constructor",
    "__proto__",
    "__proto__.toString",
    "event.",
    "event.missing",
    "event.startTime",
    "event.nothing",
    "event.nothing.x",
    "event.blank",
    "event.none",
    "event.nulls",
    "event.id.length",
    "event.entity_ids.length",
    "event.constructor",
    "event.__proto__",
    "event.title.toString",
    "event..id",
    "entity.id",
    "creative_work.id",
  ];
  for (const path of paths) {
    test(`'${path}'`, () => {
      expect(createScope({ parameters: PARAMETERS, object })(path)).toBeUndefined();
    });
  }

  test("a path into the object of a page without one, whatever its parameters", () => {
    expect(createScope({ parameters: PARAMETERS })("event.id")).toBeUndefined();
  });
});

describe("{q} is", () => {
  const parameters = { q: "of the URL" };
  const cases: readonly (readonly [string, Parameters<typeof createScope>[0], unknown])[] = [
    ["the page variable", { parameters: {}, q: "a" }, "a"],
    ["the page variable before the parameter", { parameters, q: "a" }, "a"],
    ["the parameter when there is no page variable", { parameters }, "of the URL"],
    ["unset when the page variable is empty", { parameters, q: "" }, undefined],
    ["unset when there is neither", { parameters: {} }, undefined],
  ];
  for (const [name, parts, want] of cases) {
    test(name, () => expect(createScope(parts)("q")).toBe(want));
  }
});
