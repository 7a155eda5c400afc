import { describe, expect, test } from "vitest";
import { metadataOf, reasonOf } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { blamedField, patchComponent, readComponent } from "./page-components.ts";

const marquee = await useMarquee();

/** Any component of a page without a filter: each request switches it to the member it needs. */
const ID = "image-help";
const set = (member: string, value: unknown) =>
  patchComponent(marquee, ID, { type: member, [member]: value }, `type,${member}`);

async function expectRefused(member: string, value: unknown, reason: string, field: string) {
  const before = await readComponent(marquee, ID);
  const got = await set(member, value);
  expect([got.status, got.json.code, reasonOf(got)]).toEqual([400, 3, reason]);
  expect(blamedField(got)).toBe(`page_component_update.${field}`);
  expect((await readComponent(marquee, ID)).text).toBe(before.text);
  return got;
}

describe("height_fraction of banner_collection is from 0 to 1", () => {
  for (const height_fraction of [0, 5e-324, 0.5, 1]) {
    test(`${height_fraction} is kept`, async () => {
      const got = await set("banner_collection", { height_fraction });
      expect(got.json.page_component.banner_collection.height_fraction).toBe(height_fraction);
    });
  }
  for (const height_fraction of [-5e-324, -1, 1.0000000000000002, 2, "NaN", "Infinity"]) {
    test(`${height_fraction} is refused`, async () => {
      const field = "banner_collection.height_fraction";
      await expectRefused(
        "banner_collection",
        { height_fraction },
        "HEIGHT_FRACTION_INVALID",
        field,
      );
    });
  }
});

describe("height_fraction of banner_collection_v2 is over 0, up to 1, and for RELATIVE_HEIGHT", () => {
  const strategy = (name: string) => `BANNER_COLLECTION_V2_SIZE_STRATEGY_${name}`;
  for (const height_fraction of [5e-324, 0.5, 1]) {
    test(`${height_fraction} is kept with RELATIVE_HEIGHT`, async () => {
      const value = { height_fraction, size_strategy: strategy("RELATIVE_HEIGHT") };
      const got = await set("banner_collection_v2", value);
      expect(got.json.page_component.banner_collection_v2).toMatchObject(value);
    });
  }
  for (const height_fraction of [0, undefined, -0.1, 1.0000000000000002, "NaN"]) {
    test(`${height_fraction} is refused with RELATIVE_HEIGHT`, async () => {
      const value = { height_fraction, size_strategy: strategy("RELATIVE_HEIGHT") };
      const field = "banner_collection_v2.height_fraction";
      await expectRefused("banner_collection_v2", value, "HEIGHT_FRACTION_INVALID", field);
    });
  }
  for (const name of ["UNSPECIFIED", "IMAGE_HEIGHT", "CONTENT_HEIGHT"]) {
    test(`${name} goes without it and refuses it`, async () => {
      const size_strategy = strategy(name);
      expect((await set("banner_collection_v2", { size_strategy })).status).toBe(200);
      const value = { size_strategy, height_fraction: 0.5 };
      const field = "banner_collection_v2.height_fraction";
      await expectRefused("banner_collection_v2", value, "HEIGHT_FRACTION_INVALID", field);
    });
  }
});

describe("a KQL text that is broken is refused with its path and column when it is written", () => {
  const places: readonly (readonly [string, (text: string) => unknown, string])[] = [
    ["rail", (filter) => ({ filter }), "rail.filter"],
    ["calendar", (filter) => ({ filter }), "calendar.filter"],
    ["calendar_v2", (filter) => ({ filter }), "calendar_v2.filter"],
    [
      "rail",
      (text) => ({ additional_filters: { ok: "a: 1", season: text } }),
      'rail.additional_filters["season"]',
    ],
    [
      "calendar_v2",
      (text) => ({ additional_filters: { "": text } }),
      'calendar_v2.additional_filters[""]',
    ],
    ["content_grid", (filter) => ({ inline: { filter } }), "content_grid.inline.filter"],
    [
      "content_grid",
      (text) => ({ inline: { additionalFilters: { ok: "a: 1", season: text } } }),
      'content_grid.inline.additional_filters["season"]',
    ],
    ["event_player", (filter) => ({ query: { filter } }), "event_player.query.filter"],
    [
      "creative_work_player",
      (filter) => ({ query: { all: [{ filter: [filter] }] } }),
      "creative_work_player.query.all[0].filter[0]",
    ],
  ];
  const texts: readonly (readonly [text: string, column: string])[] = [
    ["a: 1 and )", "10"],
    ["a: (1 or 2", "11"],
    ['a: "x', "4"],
    ["a: {", "5"],
    ["a: {x", "6"],
    [")", "1"],
  ];
  for (const [member, toValue, field] of places) {
    for (const [text, column] of texts) {
      test(`${field}: ${text}`, async () => {
        const got = await expectRefused(member, toValue(text), "KQL_SYNTAX", field);
        expect(metadataOf(got)).toMatchObject({ field: `page_component_update.${field}`, column });
      });
    }
    test(`${field} over the limits of a filter`, async () => {
      const long = `a: ${"x".repeat(8_190)}`;
      await expectRefused(member, toValue(long), "KQL_LIMIT", field);
      const wide = `a: (${Array(257).fill("x").join(" or ")})`;
      await expectRefused(member, toValue(wide), "KQL_LIMIT", field);
      const deep = `${"(".repeat(33)}a: 1${")".repeat(33)}`;
      await expectRefused(member, toValue(deep), "KQL_LIMIT", field);
    });
    test(`${field} takes variables or placeholders and any valid filter`, async () => {
      for (const text of ["a: {id}", 'a: "{event.fields.season.id}" or not b: {q}', "*", ""]) {
        expect((await set(member, toValue(text))).status).toBe(200);
      }
    });
  }
});

describe("a malformed variable is refused with its path and column", () => {
  const places: readonly (readonly [string, string, ...string[]])[] = [
    ["banner_collection", "id"],
    ["banner_collection_v2", "id"],
    ["creative_work_player", "id"],
    ["event_player", "id"],
    ["player_profile", "id"],
    ["rail", "search"],
    ["content_grid", "search", "inline"],
  ];
  for (const [member, name, ...parent] of places) {
    const path = [member, ...parent, name].join(".");
    const wrap = (text: string) =>
      parent.reduceRight<object>((value, it) => ({ [it]: value }), { [name]: text });
    for (const [text, column] of [
      ["{", "1"],
      ["a{}", "2"],
      ["{a b}", "1"],
      ["x}", "2"],
      ["{id}{", "5"],
      ["{.a}", "1"],
      ["{a..b}", "1"],
    ] as const) {
      test(`${path}: ${text}`, async () => {
        const got = await expectRefused(member, wrap(text), "VARIABLE_MALFORMED", path);
        expect(metadataOf(got)?.column).toBe(column);
      });
    }
    test(`${path} takes text, one variable or several`, async () => {
      for (const text of ["banners-home", "{id}", "a-{event.fields.season.id}-{q}"]) {
        const got = await set(member, wrap(text));
        expect(got.json.page_component[member]).toMatchObject(wrap(text));
      }
    });
  }
});

describe("a rail's order is one that the delivery lists support", () => {
  const orders: readonly (readonly [type: string, order: string, isAllowed: boolean])[] = [
    ["EVENT", "start_time asc", true],
    ["EVENT", "title.en desc", true],
    ["CREATIVE_WORK", "release_time desc", true],
    ["ENTITY", "id asc", true],
    ["UNSPECIFIED", "update_time desc", true],
    ["EVENT", "release_time asc", false],
    ["ENTITY", "start_time asc", false],
    ["EVENT", "start_time", false],
    ["EVENT", "start_time up", false],
    ["EVENT", "start_time ASC", false],
    ["EVENT", "start_time asc, id asc", false],
    ["EVENT", "fields.number asc", false],
    ["ENTITY", "update_time desc", true],
  ];
  for (const [type, order, isAllowed] of orders) {
    test(`"${order}" of BASE_TYPE_${type} is ${isAllowed ? "kept" : "refused"}`, async () => {
      const rail = { type: `BASE_TYPE_${type}`, order };
      if (!isAllowed)
        return void (await expectRefused("rail", rail, "ORDER_INVALID", "rail.order"));
      expect((await set("rail", rail)).json.page_component.rail).toMatchObject(rail);
    });

    test(`"${order}" of a grid of BASE_TYPE_${type} is ${isAllowed ? "kept" : "refused"}`, async () => {
      const inline = { type: `BASE_TYPE_${type}`, order };
      const field = "content_grid.inline.order";
      if (!isAllowed)
        return void (await expectRefused("content_grid", { inline }, "ORDER_INVALID", field));
      const got = await set("content_grid", { inline });
      expect(got.json.page_component.content_grid).toEqual({ inline });
    });
  }
});

describe("numbers", () => {
  for (const [member, name] of [
    ["banner_collection", "rotation_interval_seconds"],
    ["banner_collection_v2", "transition_interval_seconds"],
    ["rail", "limit"],
  ] as const) {
    test(`${member}.${name} is a 32-bit number that is not negative`, async () => {
      for (const value of [0, 1, 2_147_483_647]) {
        const got = await set(member, { [name]: value });
        expect(got.json.page_component[member][name]).toBe(value);
      }
      await expectRefused(member, { [name]: -1 }, "VALUE_OUT_OF_RANGE", `${member}.${name}`);
      for (const value of [2_147_483_648, 1.5, "many", true, [1]]) {
        await expectRefused(member, { [name]: value }, "VALUE_INVALID", `${member}.${name}`);
      }
    });
  }
});

describe("an inline grid", () => {
  test("has filters and a search of a rail's types", async () => {
    for (const [name, value] of [
      ["filter", 5],
      ["filter", { field: "a" }],
      ["search", ["x"]],
      ["additional_filters", "a: 1"],
      ["additionalFilters", { a: 1 }],
    ] as const) {
      const field = `content_grid.inline.${name === "additionalFilters" ? "additional_filters" : name}`;
      await expectRefused("content_grid", { inline: { [name]: value } }, "VALUE_INVALID", field);
    }
  });

  test("keeps what a rail does not know, and null", async () => {
    const inline = {
      filter: null,
      card: { filter: "(", order: "{" },
      order_by: "x",
      type: "tiles",
    };
    const got = await set("content_grid", { inline });
    expect(got.json.page_component.content_grid).toEqual({ inline });
  });
});

describe("a player needs an id or a query", () => {
  for (const member of ["creative_work_player", "event_player"]) {
    test(member, async () => {
      for (const value of [{}, { id: "" }, { id: null }, { query: null }, { autoplay: true }]) {
        await expectRefused(member, value, "FIELD_REQUIRED", `${member}.id`);
      }
      for (const value of [{ id: "nothing-yet" }, { query: {} }]) {
        const got = await set(member, value);
        expect(got.json.page_component[member]).toMatchObject(value);
      }
    });
  }
});

describe("a query", () => {
  const texts = (length: number) =>
    Array.from({ length }, (_, at) => (at % 2 === 0 ? { filter: "a: b" } : { id: "{id}" }));

  for (const member of ["creative_work_player", "event_player"]) {
    test(`of ${member} holds a hundred filters and texts with braces, and any other`, async () => {
      const query = { all: texts(100), more: Array(500).fill("text"), open: "not.a.variable}" };
      const got = await set(member, { query });
      expect(got.json.page_component[member].query).toEqual(query);
      const value = { query: { all: texts(101) } };
      await expectRefused(member, value, "QUERY_TOO_LARGE", `${member}.query`);
    });
  }
});

describe("player_profile", () => {
  test("needs the entity's id", async () => {
    for (const value of [{}, { id: "" }, { id: null }, { jersey: {} }]) {
      await expectRefused("player_profile", value, "FIELD_REQUIRED", "player_profile.id");
    }
  });

  for (const name of ["position", "club", "birth_date", "imageURL", "ID", "gender.mapping"]) {
    test(`refuses the field ${name} by its name`, async () => {
      const value = { id: "{id}", [name]: {} };
      const field = `player_profile.${name}`;
      const got = await expectRefused("player_profile", value, "FIELD_UNKNOWN", field);
      expect(got.json.message).toContain(name);
    });
  }
});
