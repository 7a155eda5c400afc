import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { type Event, EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { warnOfCleared } from "../../../src/domain/validation/cleared-values.ts";

const event = (init: Partial<Event>) => create(EventSchema, init as never);
const rail = (value: object, more: Partial<PageComponent> = {}) =>
  create(PageComponentSchema, { ...more, data: { case: "rail", value } } as never);

const EN = { en: "Final" };
const NUMBERS = Object.fromEntries(Array.from({ length: 21 }, (_, at) => [`n${at}`, at]));

describe("an update that replaces a value as a whole", () => {
  test.each<readonly [string, Event, Event, readonly string[]]>([
    ["a language", event({ title: { ...EN, de: "Finale" } }), event({ title: EN }), ["title.de"]],
    [
      "a value of free JSON",
      event({ fields: { a: 1, b: 2 } }),
      event({ fields: { a: 3 } }),
      ["fields.b"],
    ],
    [
      "a value in free JSON",
      event({ fields: { a: { b: { c: 1, d: 2 } } } }),
      event({ fields: { a: { b: { d: null } } } }),
      ["fields.a.b.c"],
    ],
    [
      "twenty values",
      event({ fields: { ...NUMBERS, n20: {} } }),
      event({ fields: { n20: {} } }),
      Object.keys(NUMBERS)
        .slice(0, 20)
        .map((name) => `fields.${name}`),
    ],
    [
      "the first twenty of more",
      event({ fields: { ...NUMBERS, last: 1 } }),
      event({ fields: { last: 1 } }),
      Object.keys(NUMBERS)
        .slice(0, 20)
        .map((name) => `fields.${name}`),
    ],
  ])("names %s that it clears", (_, before, after, fields) => {
    const names = ["title", "fields"];
    expect(warnOfCleared(EventSchema, before, after, { names })?.fields).toEqual(fields);
    expect(warnOfCleared(EventSchema, before, after, { names: ["description"] })).toBeUndefined();
    expect(warnOfCleared(EventSchema, after, after, { names })).toBeUndefined();
  });

  test.each<readonly [string, Event, Event]>([
    ["a map that is cleared", event({ title: EN }), event({})],
    ["free JSON that is cleared", event({ fields: { a: 1 } }), event({})],
    ["a list", event({ entityIds: ["a", "b"] }), event({ entityIds: ["c"] })],
    [
      "a value that changes its type",
      event({ fields: { a: { b: 1 } } }),
      event({ fields: { a: 1 } }),
    ],
    ["a new value", event({ title: EN }), event({ title: { ...EN, de: "Finale" } })],
  ])("does not name %s", (_, before, after) => {
    const names = ["title", "fields", "entity_ids"];
    expect(warnOfCleared(EventSchema, before, after, { names })).toBeUndefined();
  });

  test("names the members of a message, and not the member of a oneof that another replaces", () => {
    const full = rail({
      title: { ...EN, de: "Finale" },
      filter: "x: y",
      limit: 3,
      card: { kind: "poster" },
    });
    const names = ["rail"];
    const cleared = warnOfCleared(PageComponentSchema, full, rail({ title: EN }), {
      names,
      path: "p.",
    });
    expect(cleared).toMatchObject({
      code: "VALUES_CLEARED",
      fields: ["p.rail.title.de", "p.rail.filter", "p.rail.limit", "p.rail.card"],
      message: expect.stringContaining("p.rail.filter, p.rail.limit"),
    });
    const grid = create(PageComponentSchema, { data: { case: "grid", value: {} } } as never);
    expect(warnOfCleared(PageComponentSchema, full, grid, { names: ["grid"] })).toBeUndefined();
  });
});
