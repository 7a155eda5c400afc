import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { createScope, type PageObject } from "../../../src/domain/variables/text-template.ts";
import { openCases } from "../../harness/cases.ts";

const each = openCases("variables/scope");

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

each<[string, JsonValue]>("a variable has the value of", (path, want) => {
  expect(createScope({ parameters: PARAMETERS, q: "final", object })(path)).toEqual(want);
});

test.each(["event", "entity", "creative_work"] as const)(
  "a variable has the value of: %s.id when the page is about one",
  (kind) => {
    const scope = createScope({ parameters: {}, object: { kind, json: { id: "x" } } });
    expect(scope(`${kind}.id`)).toBe("x");
  },
);

each<[string]>("a variable has no value when it is", (path) => {
  expect(createScope({ parameters: PARAMETERS, object })(path)).toBeUndefined();
});

test("a variable has no value when it is: a path into the object of a page without one, whatever its parameters", () => {
  expect(createScope({ parameters: PARAMETERS })("event.id")).toBeUndefined();
});

describe("{q} is", () => {
  const parameters = { q: "of the URL" };

  test.each<[string, Parameters<typeof createScope>[0], unknown]>([
    ["the page variable", { parameters: {}, q: "a" }, "a"],
    ["the page variable before the parameter", { parameters, q: "a" }, "a"],
    ["the parameter when there is no page variable", { parameters }, "of the URL"],
    ["unset when the page variable is empty", { parameters, q: "" }, undefined],
    ["unset when there is neither", { parameters: {} }, undefined],
  ])("%s", (_name, parts, want) => {
    expect(createScope(parts)("q")).toBe(want);
  });
});
