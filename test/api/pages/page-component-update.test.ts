import { describe, expect, test } from "vitest";
import { rejection, send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import type { JsonMessage } from "../methods.ts";
import { type Case, inField, playCases, toCases } from "../play-cases.ts";
import { blamedField, callRest } from "../studio.ts";
import { dataMembers } from "./data-members.ts";
import { patchComponent, readComponent } from "./pages.ts";

const marquee = await useMarquee();

/** On a page without a filter component; requests switch it to the members that they need. */
const ID = "image-help";
const CALL = "ott.page_component.v2.PageComponentService/UpdatePageComponent";

type Row = readonly [update: unknown, want: unknown];

/** Makes cases of updates under one mask; what is kept is compared with the parts that are named. */
const updates = (mask: unknown, rows: readonly Row[], id = ID): Case[] =>
  rows.flatMap(([update, want]) =>
    toCases(
      {
        call: CALL,
        within: "page_component_update",
        body: (it: unknown) => ({
          ...{ pageComponentId: id, pageComponentUpdate: it, updateMask: mask },
        }),
        read: ({ pageComponent }) => pick(pageComponent, want),
      },
      [[update, want]],
    ),
  );
/** Makes cases of a data member, to which the component is switched. */
const members = (name: string, rows: readonly Row[]): Case[] =>
  rows.flatMap(([value, want]) =>
    updates(`type,${toCamelCase(name)}`, [
      [
        { type: name, [toCamelCase(name)]: value },
        typeof want === "string" ? inField(want, name) : { [toCamelCase(name)]: want },
      ],
    ]),
  );
const kept = (...values: unknown[]): Row[] => values.map((it) => [it, it]);
const rejected = (want: string, ...values: unknown[]): Row[] => values.map((it) => [it, want]);
const toCamelCase = (name: string) => name.replace(/_(\w)/g, (_, it: string) => it.toUpperCase());

/** Picks the parts of a value that another has, so that both are compared as they are. */
function pick(got: unknown, want: unknown): unknown {
  if (typeof want !== "object" || want === null || Array.isArray(want)) return got;
  if (typeof got !== "object" || got === null) return got;
  return Object.fromEntries(
    Object.entries(want).map(([name, it]) => [name, pick((got as JsonMessage)[name], it)]),
  );
}

const stored = async (id = ID) => (await readComponent(marquee, id)).text;
const play = (title: string, cases: readonly Case[], id = ID) =>
  playCases(marquee, title, cases, () => stored(id));

// What a component's values may be, all of test/domain/pages/components/check.test.ts tries; of each rule one is here.
play("heights and numbers of a component", [
  ...members("banner_collection", [
    ...kept({ heightFraction: 0.5 }, { rotationIntervalSeconds: 2_147_483_647 }),
    [{ heightFraction: 1.001 }, "HEIGHT_FRACTION_INVALID height_fraction"],
    [{ rotationIntervalSeconds: -1 }, "VALUE_OUT_OF_RANGE rotation_interval_seconds"],
    [{ rotationIntervalSeconds: 2_147_483_648 }, "VALUE_INVALID rotation_interval_seconds"],
  ]),
]);

/** Where KQL lies in a component: the member, a value around a text, and the field. */
const KQL: readonly (readonly [string, (text: unknown) => unknown, string])[] = [
  ["rail", (filter) => ({ filter }), "filter"],
  [
    "rail",
    (text) => ({ additionalFilters: { ok: "a: 1", season: text } }),
    'additional_filters["season"]',
  ],
  ["content_grid", (filter) => ({ inline: { filter } }), "inline.filter"],
  [
    "content_grid",
    (text) => ({ inline: { additionalFilters: { ok: "a: 1", season: text } } }),
    'inline.additional_filters["season"]',
  ],
  [
    "creative_work_player",
    (filter) => ({ query: { all: [{ filter: [filter] }] } }),
    "query.all[0].filter[0]",
  ],
];

play("broken KQL and variables, rejected by their path and column when they are written,", [
  ...KQL.flatMap(([member, toValue, field]) =>
    members(member, [
      [toValue("a: (1 or 2"), `KQL_SYNTAX ${field} column=11`],
      [toValue(`a: ${"x".repeat(8_190)}`), `KQL_LIMIT ${field}`],
      ...kept(toValue('a: "{event.fields.season.id}" or not b: {q}')),
      [toValue(""), {}],
    ]),
  ),
  ...members("content_grid", [
    [{ inline: { search: "{id}{" } }, "VARIABLE_MALFORMED inline.search column=5"],
    ...kept({ inline: { search: "a-{event.fields.season.id}-{q}" } }),
    ...kept({ inline: { type: "BASE_TYPE_UNSPECIFIED", order: "update_time desc" } }),
    [
      { inline: { type: "BASE_TYPE_EVENT", order: "release_time asc" } },
      "ORDER_INVALID inline.order",
    ],
  ]),
]);

const PLAYERS = ["creative_work_player", "event_player"];
const toTexts = (length: number) =>
  Array.from({ length }, (_, at) => (at % 2 === 0 ? { filter: "a: b" } : { id: "{id}" }));

play("grids and players", [
  ...members("content_grid", [
    [{ inline: { filter: 5 } }, "VALUE_INVALID inline.filter"],
    [{ inline: { additionalFilters: { a: 1 } } }, "VALUE_INVALID inline.additional_filters"],
    // What a rail does not know stays, and null.
    ...kept({
      inline: { filter: null, card: { filter: "(", order: "{" }, order_by: "x", type: "tiles" },
    }),
  ]),
  ...PLAYERS.flatMap((player) =>
    members(player, [
      ...rejected("FIELD_REQUIRED id", { id: "" }, { query: null }),
      ...kept({ id: "nothing-yet" }, { query: {} }),
      ...kept({ query: { all: toTexts(100), more: Array(500).fill("text"), open: "not.a.var}" } }),
      [{ query: { all: toTexts(101) } }, "QUERY_TOO_LARGE query"],
    ]),
  ),
  ...members("player_profile", [
    [{ jersey: {} }, "FIELD_REQUIRED id"],
    [{ id: "{id}", imageURL: {} }, "FIELD_UNKNOWN imageURL ~imageURL"],
  ]),
  ...[
    ["content_grid", "reference", "inline"],
    ...PLAYERS.map((player) => [player, "id", "query"]),
  ].flatMap(([member = "", a = "", b = ""]) => {
    const values: JsonMessage = {
      ...{ id: "{id}", query: { q: 1 }, reference: { r: 1 }, inline: { i: 1 } },
    };
    const [one, other] = [{ [a]: values[a] }, { [b]: values[b] }];
    return members(member, [
      [one, { ...one, [b]: undefined }],
      [other, { ...other, [a]: undefined }],
      [{ ...one, ...other }, "ONEOF_CONFLICT"],
    ]);
  }),
]);

const ALLOWED = [
  ...["name", "type", "environments", "visibility", "group_id", "css_classes", "availability"],
  ...["banner_collection", "banner_collection_v2", "calendar", "calendar_v2", "rail"],
  ...["content_grid", "filter", "creative_work_player", "event_player", "offers"],
  ...["player_profile", "promotional_content", "sponsorship_collection", "standings", "faq"],
  ...["footer", "text", "image", "html"],
].join(",");
const WRITTEN = { name: "Written", rail: { filter: "a: b" } };

play("a mask", [
  ...["", undefined, "*", "rail.filter", "project_id,name"].flatMap((mask) =>
    updates(mask, [[WRITTEN, `UPDATE_MASK_INVALID allowed=${ALLOWED}`]]),
  ),
  ...updates("nothing", [[WRITTEN, "UPDATE_MASK_INVALID ~css_classes"]]),
]);

test("a mask changes what it names in either spelling, and nothing else", async () => {
  const read = async () => (await readComponent(marquee, ID)).json.page_components[0];
  const values = { name: "N", cssClasses: ["c"], group_id: "g", visibility: undefined };
  const before = await read();
  const got = await patchComponent(marquee, ID, values, "  name ,\tcssClasses,name\n");
  expect(got.status, got.text).toBe(200);
  expect(await read()).toEqual({ ...before, name: "N", css_classes: ["c"] });
});

play("exactly one data member, of its type,", [
  ...updates("type,rail,text", rejected("ONEOF_CONFLICT", { text: { en: "x" }, type: "text" })),
  ...updates("calendar", rejected("ONEOF_CONFLICT", { calendar: {}, calendar_v2: {} })),
  ...updates("name", rejected("ONEOF_CONFLICT", { faq: {}, html: {}, name: "x" })),
  ...updates("type,text", [
    [{ type: "text", text: { a: 1 }, rail: null, faq: null }, { text: { a: 1 } }],
  ]),
]);

const MISMATCH = "TYPE_MISMATCH type ~update_mask";
const ofFaq = (mask: string, want: string, ...values: unknown[]) =>
  updates(mask, rejected(want, ...values), "faq-help");

play(
  "the only data member and its type",
  [
    ...ofFaq("faq", "DATA_MEMBER_REQUIRED", {}, { faq: null }, { type: "faq" }),
    ...ofFaq("text", MISMATCH, { text: {} }, { text: {}, type: "text" }),
    ...ofFaq("type", MISMATCH, { type: "rail" }, {}, { type: "content_carousel" }),
    ...ofFaq("type,contentGrid", MISMATCH, { type: "content_carousel", contentGrid: {} }),
  ],
  "faq-help",
);

const CAROUSEL = { type: "content_carousel" };

play("the legacy type content_carousel", [
  ...updates(
    "rail",
    [[{ rail: { limit: 3 } }, { ...CAROUSEL, rail: { limit: 3 } }]],
    "rail-team-matches",
  ),
  ...updates("type", [[CAROUSEL, CAROUSEL]], "rail-team-players"),
  ...updates("name", [[{ name: "Renamed" }, CAROUSEL]], "rail-team-players"),
  ...updates("type,rail", [[{ ...CAROUSEL, rail: {} }, CAROUSEL]], "rail-team-players"),
]);

describe("the nineteen data members", () => {
  const NAMES = Object.keys(dataMembers);
  /** Compares as text, because an own key `__proto__` is nothing that comparing objects sees. */
  const expectSame = (got: unknown, want: unknown) =>
    expect(JSON.stringify(sorted(got))).toBe(JSON.stringify(sorted(want)));

  test("are nineteen", () => expect(NAMES).toHaveLength(19));

  for (const [name, value] of Object.entries(dataMembers)) {
    test(`a component is switched to ${name}, which comes back unchanged, key for key`, async () => {
      const got = await patchComponent(marquee, ID, { type: name, [name]: value }, `type,${name}`);
      const { page_component } = got.json;
      expectSame(page_component[name], value);
      expect(Object.keys(page_component).filter((it) => NAMES.includes(it))).toEqual([name]);
      const { type, data } = (await readComponent(marquee, ID)).json.page_components[0];
      expect([page_component.type, type]).toEqual([name, name]);
      expectSame(data, value);
    });
  }

  test("but for the players may be empty", async () => {
    for (const name of NAMES.filter((it) => !/^player_|_player$/.test(it))) {
      const got = await patchComponent(marquee, ID, { type: name, [name]: {} }, `type,${name}`);
      expect([name, got.json.page_component[name]]).toEqual([name, expect.anything()]);
    }
  });

  test("are replaced whole, with nothing left of the old one", async () => {
    const rail = { filter: "a: b", card: { a: 1, b: { c: 2 } }, title: { en: "x" } };
    await patchComponent(marquee, ID, { type: "rail", rail }, "type,rail");
    const got = await patchComponent(marquee, ID, { rail: { card: { b: {} } } }, "rail");
    expect(got.json.page_component.rail).toMatchObject({ filter: "", title: {} });
    expect(got.json.page_component.rail.card).toEqual({ b: {} });
  });
});

function sorted(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(sorted);
  if (typeof json !== "object" || json === null) return json;
  return Object.entries(json)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => [key, sorted(value)]);
}

for (const [what, json, id, member] of [
  ["a key __proto__", '{"__proto__":{"__proto__":null},"a":{"__proto__":1}}', "faq-help", "faq"],
  ["depth 90", '{"a":'.repeat(90).concat("1", "}".repeat(90)), "html-player", "html"],
] as const) {
  test(`an object without a published form keeps ${what}, also when it is read again`, async () => {
    for (const mask of [member, "name"]) {
      const got = await send("PATCH", `${marquee.url}/ott/page_components/v2/${id}`, {
        token: marquee.tokens.owner,
        body: `{"page_component_update":{"name":"n","${member}":${json}},"update_mask":"${mask}"}`,
      });
      expect(JSON.stringify(got.json.page_component?.[member])).toBe(json);
    }
  });
}

// How a body is read, all of test/http/rest/bind-body.test.ts tries.
play("what does not fit its field is rejected by its path, also when the mask does not name it,", [
  ...updates("name", [
    [undefined, "FIELD_REQUIRED ."],
    [{ rail: { title: { en: 1 } } }, 'VALUE_INVALID rail.title["en"]'],
    [{ visibility: 2 }, "VALUE_INVALID visibility"],
  ]),
  ...updates("name", [[WRITTEN, "404 RESOURCE_NOT_FOUND ~nothing-here"]], "nothing-here"),
]);

const NOTICE = "text-home-notice";
const readNotice = async () => (await readComponent(marquee, NOTICE)).json.page_components[0];
/** Each field with a value, and what it is when it is cleared. */
const FIELDS: Readonly<Record<string, readonly [value: unknown, cleared: unknown]>> = {
  name: ['Matches "of" the day 🏆', ""],
  environments: [["web", "androidtv"], []],
  visibility: ["VISIBILITY_HIDDEN", "VISIBILITY_UNSPECIFIED"],
  group_id: ["a-group-of-one", ""],
  css_classes: [["wide", "wide", "wide dark"], []],
};

describe("each field by itself", () => {
  for (const [name, [value, cleared]] of Object.entries(FIELDS)) {
    test(`${name} is changed, cleared and ignored, by the mask alone`, async () => {
      const before = await readNotice();
      const changed = await patchComponent(marquee, NOTICE, { [name]: value }, name);
      expect(changed.json.page_component[name]).toEqual(value);
      const after = await readNotice();
      expect(after).toEqual({ ...before, [name]: value });
      const other = name === "name" ? "css_classes" : "name";
      const update = { [name]: cleared, [other]: before[other] };
      expect((await patchComponent(marquee, NOTICE, update, other)).status).toBe(200);
      expect(await readNotice()).toEqual(after);
      for (const absence of [{}, { [name]: null }]) {
        await patchComponent(marquee, NOTICE, { [name]: value }, name);
        const got = await patchComponent(marquee, NOTICE, absence, name);
        expect(got.json.page_component[name]).toEqual(cleared);
      }
    });
  }

  test("several change together, and a null is a field that was not sent", async () => {
    const update = { name: "All", group_id: "g", css_classes: ["a"], rail: null, id: null };
    const got = await patchComponent(marquee, NOTICE, update, "name,group_id,css_classes");
    expect(got.json.page_component).toMatchObject({ name: "All", group_id: "g" });
    const rail = { limit: null, title: null, type: null, card: null, hide_by_default: null };
    const cleared = await patchComponent(marquee, "rail-home-matches", { rail }, "rail");
    expect(cleared.json.page_component.rail).toMatchObject({ limit: 0, title: {}, filter: "" });
    expect(cleared.json.page_component.rail.card).toBeUndefined();
  });

  test("the response is the whole component with its zero values and no other member", async () => {
    const update = { text: {}, environments: [], group_id: "", css_classes: [] };
    const mask = "text,environments,group_id,css_classes,name,visibility";
    const got = await patchComponent(marquee, NOTICE, update, mask);
    expect(got.json).toEqual({
      page_component: {
        ...{ id: NOTICE, project_id: "worldcup", name: "", type: "text", environments: [] },
        ...{ visibility: "VISIBILITY_UNSPECIFIED", group_id: "", css_classes: [], text: {} },
      },
    });
  });
});

describe("the component of an update has two names", () => {
  const PATH = `ott/page_components/v2/${ID}`;
  const patch = (body: JsonMessage, update_mask = "name") =>
    callRest(marquee, "PATCH", PATH, { update_mask, ...body });

  test.each(["page_component", "page_component_update"])("%s, which errors have", async (name) => {
    const got = await patch({ [name]: { name } });
    expect(got.json.page_component).toMatchObject({ id: ID, name });
    const tall = { type: "banner_collection", banner_collection: { height_fraction: 2 } };
    const wrong = await patch({ [name]: tall }, "type,banner_collection");
    const field = `${name}.banner_collection.height_fraction`;
    expect(rejection(wrong)).toEqual([400, "HEIGHT_FRACTION_INVALID"]);
    expect(blamedField(wrong)).toBe(field);
  });

  test("both fail, also with allow_missing, and so does neither", async () => {
    const before = await stored();
    const update = { name: "both" };
    const both = await patch({ page_component: update, page_component_update: update });
    const neither = await patch({});
    const missing = await callRest(marquee, "PATCH", "ott/page_components/v2/not-there", {
      ...{ page_component: update, page_component_update: update, allow_missing: true },
    });
    expect([both, missing, neither].map((it) => [...rejection(it), blamedField(it)])).toEqual([
      [400, "ONEOF_CONFLICT", "page_component"],
      [400, "ONEOF_CONFLICT", "page_component"],
      [400, "FIELD_REQUIRED", "page_component_update"],
    ]);
    expect(await stored()).toBe(before);
  });

  test("page_component creates a missing one", async () => {
    const page_component = { project_id: "worldcup", type: "text", text: {} };
    const body = { page_component, allow_missing: true, page_id: "page-help" };
    const got = await callRest(marquee, "PATCH", "ott/page_components/v2/text-new", body);
    expect(got.json.page_component).toMatchObject({ id: "text-new", type: "text" });
  });
});
