import { describe, expect, test } from "vitest";
import { reasonOf, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { blamedField, patchComponent, readComponent } from "./page-components.ts";

const marquee = await useMarquee();

const ID = "rail-home-matches";
const patch = (body: unknown) =>
  send("PATCH", `${marquee.url}/ott/page_components/v2/${ID}`, {
    token: marquee.tokens.owner,
    body,
  });

describe("a field that nobody knows is refused by its path, and nothing is written", () => {
  const places: readonly (readonly [field: string, body: Record<string, unknown>])[] = [
    ["allow_missing", { allow_missing: true }],
    ["validateOnlyOnce", { validateOnlyOnce: null }],
    ["page_component_update.title", { page_component_update: { title: 1 } }],
    ["page_component_update.cssclasses", { page_component_update: { cssclasses: [] } }],
    ["page_component_update.rail.sort", { page_component_update: { rail: { sort: "asc" } } }],
    ["page_component_update.text_2", { page_component_update: { text_2: {} } }],
  ];
  for (const [field, fault] of places) {
    test(field, async () => {
      const before = await readComponent(marquee, ID);
      const got = await patch({
        page_component_update: { name: "x" },
        update_mask: "name",
        ...fault,
      });
      expect([got.status, got.json.code, reasonOf(got)]).toEqual([400, 3, "FIELD_UNKNOWN"]);
      expect(blamedField(got)).toBe(field);
      expect((await readComponent(marquee, ID)).text).toBe(before.text);
    });
  }
});

describe("a field that is there twice under its two spellings is refused by its path", () => {
  const places: readonly (readonly [field: string, body: Record<string, unknown>])[] = [
    ["update_mask", { updateMask: "name" }],
    ["page_component_id", { page_component_id: ID, pageComponentId: ID }],
    [
      "page_component_update.css_classes",
      { page_component_update: { css_classes: [], cssClasses: [] } },
    ],
    [
      "page_component_update.rail.hide_by_default",
      { page_component_update: { rail: { hide_by_default: true, hideByDefault: true } } },
    ],
  ];
  for (const [field, fault] of places) {
    test(field, async () => {
      const got = await patch({
        page_component_update: { name: "x" },
        update_mask: "name",
        ...fault,
      });
      expect([got.status, reasonOf(got)]).toEqual([400, "FIELD_DUPLICATE"]);
      expect(blamedField(got)).toBe(field);
    });
  }
});

describe("a value of the wrong JSON type is refused by its path", () => {
  const wrong: readonly (readonly [path: string, update: unknown])[] = [
    ["name", { name: 1 }],
    ["name", { name: ["x"] }],
    ["type", { type: true }],
    ["environments", { environments: "web" }],
    ["environments", { environments: { 0: "web" } }],
    ["environments[1]", { environments: ["web", 1] }],
    ["environments[0]", { environments: [null] }],
    ["visibility", { visibility: true }],
    ["visibility", { visibility: ["VISIBILITY_HIDDEN"] }],
    ["group_id", { group_id: {} }],
    ["css_classes[0]", { css_classes: [["a"]] }],
    ["rail", { rail: "all" }],
    ["rail", { rail: [] }],
    ["rail.title", { rail: { title: "Matches" } }],
    ['rail.title["en"]', { rail: { title: { en: 1 } } }],
    ['rail.title["en"]', { rail: { title: { en: null } } }],
    ["rail.limit", { rail: { limit: "ten" } }],
    ["rail.hide_by_default", { rail: { hide_by_default: "true" } }],
    ["rail.hide_by_default", { rail: { hide_by_default: 1 } }],
    ["rail.pinned", { rail: { pinned: "a" } }],
    ["rail.card", { rail: { card: [] } }],
    ["rail.card", { rail: { card: "big" } }],
    ["text", { text: "Good evening" }],
    ["text", { text: [{}] }],
    ["filter.controls[1]", { filter: { controls: [{}, 7] } }],
    ["offers.offer", { offers: { offer: {} } }],
    ["banner_collection.gradients", { banner_collection: { gradients: {} } }],
    ["banner_collection.height_fraction", { banner_collection: { height_fraction: "half" } }],
  ];
  for (const [path, update] of wrong) {
    test(`${path}: ${JSON.stringify(update)}, also when the mask does not name it`, async () => {
      const got = await patch({ page_component_update: update, update_mask: "name" });
      expect([got.status, reasonOf(got)]).toEqual([400, "VALUE_INVALID"]);
      expect(blamedField(got)).toBe(`page_component_update.${path}`);
    });
  }

  for (const update of ["name", [], 1, true]) {
    test(`the component itself as ${JSON.stringify(update)}`, async () => {
      const got = await patch({ page_component_update: update, update_mask: "name" });
      expect([got.status, reasonOf(got)]).toEqual([400, "VALUE_INVALID"]);
      expect(blamedField(got)).toBe("page_component_update");
    });
  }
});

describe("the name of an enum value that does not exist is refused with the names that do", () => {
  const wrong: readonly (readonly [path: string, update: unknown, known: string])[] = [
    ["rail.type", { rail: { type: "EVENT" } }, "BASE_TYPE_CREATIVE_WORK"],
    [
      "banner_collection.gradients[1]",
      { banner_collection: { gradients: ["BANNER_COLLECTION_GRADIENT_TOP", "TOP"] } },
      "BANNER_COLLECTION_GRADIENT_LEFT",
    ],
    [
      "banner_collection_v2.border_radius",
      { banner_collection_v2: { border_radius: "BORDER_RADIUS_HUGE" } },
      "BORDER_RADIUS_SMALL",
    ],
    [
      "banner_collection_v2.transition_effect",
      { banner_collection_v2: { transition_effect: "1" } },
      "BANNER_COLLECTION_V2_TRANSITION_EFFECT_FADE",
    ],
    [
      "banner_collection_v2.size_strategy",
      { banner_collection_v2: { size_strategy: "" } },
      "BANNER_COLLECTION_V2_SIZE_STRATEGY_CONTENT_HEIGHT",
    ],
    ["filter.chip_border_radius", { filter: { chip_border_radius: "none" } }, "BORDER_RADIUS_NONE"],
  ];
  for (const [path, update, known] of wrong) {
    test(path, async () => {
      const got = await patch({ page_component_update: update, update_mask: "name" });
      expect([got.status, reasonOf(got)]).toEqual([400, "ENUM_UNKNOWN"]);
      expect(blamedField(got)).toBe(`page_component_update.${path}`);
      expect(got.json.message).toContain(known);
    });
  }
});

test("a null is a field that was not sent", async () => {
  const nothing = { name: null, environments: null, css_classes: null, rail: null, text: null };
  const update = { ...nothing, visibility: "VISIBILITY_UNLISTED", id: null };
  const got = await patchComponent(marquee, ID, update, "visibility");
  expect([got.status, got.json.page_component?.visibility]).toEqual([200, "VISIBILITY_UNLISTED"]);
  const rail = { limit: null, title: null, type: null, card: null, hide_by_default: null };
  const cleared = await patchComponent(marquee, ID, { rail }, "rail");
  expect(cleared.json.page_component.rail).toMatchObject({ limit: 0, title: {}, filter: "" });
  expect(cleared.json.page_component.rail.card).toBeUndefined();
});
