import { describe, expect, test } from "vitest";
import { metadataOf, refusal, send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import type { JsonMessage } from "../methods.ts";
import { type Case, inField, playCases, toCases } from "../play-cases.ts";
import { dataMembers } from "./data-members.ts";
import { patchComponent, readComponent } from "./page-components.ts";

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
const refused = (want: string, ...values: unknown[]): Row[] => values.map((it) => [it, want]);
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

const STRATEGY = "BANNER_COLLECTION_V2_SIZE_STRATEGY_";
const RELATIVE = { sizeStrategy: `${STRATEGY}RELATIVE_HEIGHT` };

play("heights and numbers of a component", [
  ...members("banner_collection", [
    ...kept(...[5e-324, 0.5, 1].map((heightFraction) => ({ heightFraction }))),
    ...[-5e-324, -1, 1.0000000000000002, "NaN", "Infinity"].map(
      (heightFraction): Row => [{ heightFraction }, "HEIGHT_FRACTION_INVALID height_fraction"],
    ),
  ]),
  ...members("banner_collection_v2", [
    ...kept(...[5e-324, 0.5, 1].map((heightFraction) => ({ ...RELATIVE, heightFraction }))),
    ...[0, undefined, -0.1, 1.0000000000000002, "NaN"].map(
      (it): Row => [{ ...RELATIVE, heightFraction: it }, "HEIGHT_FRACTION_INVALID height_fraction"],
    ),
    ...["UNSPECIFIED", "IMAGE_HEIGHT", "CONTENT_HEIGHT"].flatMap((name): Row[] => [
      [{ sizeStrategy: STRATEGY + name }, {}],
      [
        { sizeStrategy: STRATEGY + name, heightFraction: 0.5 },
        "HEIGHT_FRACTION_INVALID height_fraction",
      ],
    ]),
  ]),
  ...(
    [
      ["banner_collection", "rotation_interval_seconds"],
      ["banner_collection_v2", "transition_interval_seconds"],
      ["rail", "limit"],
    ] as const
  ).flatMap(([member, field]) =>
    members(member, [
      ...kept(...[1, 2_147_483_647].map((it) => ({ [toCamelCase(field)]: it }))),
      [{ [toCamelCase(field)]: -1 }, `VALUE_OUT_OF_RANGE ${field}`],
      ...[2_147_483_648, 1.5, "many", true, [1]].map(
        (it): Row => [{ [toCamelCase(field)]: it }, `VALUE_INVALID ${field}`],
      ),
    ]),
  ),
]);

/** Where KQL lies in a component: the member, a value around a text, and the field. */
const KQL: readonly (readonly [string, (text: unknown) => unknown, string])[] = [
  ["rail", (filter) => ({ filter }), "filter"],
  ["calendar", (filter) => ({ filter }), "filter"],
  ["calendar_v2", (filter) => ({ filter }), "filter"],
  [
    "rail",
    (text) => ({ additionalFilters: { ok: "a: 1", season: text } }),
    'additional_filters["season"]',
  ],
  ["calendar_v2", (text) => ({ additionalFilters: { "": text } }), 'additional_filters[""]'],
  ["content_grid", (filter) => ({ inline: { filter } }), "inline.filter"],
  [
    "content_grid",
    (text) => ({ inline: { additionalFilters: { ok: "a: 1", season: text } } }),
    'inline.additional_filters["season"]',
  ],
  ["event_player", (filter) => ({ query: { filter } }), "query.filter"],
  [
    "creative_work_player",
    (filter) => ({ query: { all: [{ filter: [filter] }] } }),
    "query.all[0].filter[0]",
  ],
];
/** Where a text with variables lies. */
const TEXTS: readonly (readonly [string, (text: unknown) => unknown, string])[] = [
  ...["banner_collection", "banner_collection_v2", "creative_work_player", "event_player"].map(
    (member) => [member, (id: unknown) => ({ id }), "id"] as const,
  ),
  ["player_profile", (id) => ({ id }), "id"],
  ["rail", (search) => ({ search }), "search"],
  ["content_grid", (search) => ({ inline: { search } }), "inline.search"],
];

play("broken KQL and variables, refused by their path and column when they are written,", [
  ...KQL.flatMap(([member, toValue, field]) =>
    members(member, [
      ...Object.entries({
        ...{ "a: 1 and )": 10, "a: (1 or 2": 11, 'a: "x': 4, "a: {": 5, "a: {x": 6, ")": 1 },
      }).map(([text, column]): Row => [toValue(text), `KQL_SYNTAX ${field} column=${column}`]),
      ...refused(
        `KQL_LIMIT ${field}`,
        toValue(`a: ${"x".repeat(8_190)}`),
        toValue(`a: (${Array(257).fill("x").join(" or ")})`),
        toValue(`${"(".repeat(33)}a: 1${")".repeat(33)}`),
      ),
      ...kept(
        ...["a: {id}", 'a: "{event.fields.season.id}" or not b: {q}', "*"].map((it) => toValue(it)),
      ),
      [toValue(""), {}],
    ]),
  ),
  ...TEXTS.flatMap(([member, toValue, field]) =>
    members(member, [
      ...Object.entries({
        ...{ "{": 1, "a{}": 2, "{a b}": 1, "x}": 2, "{id}{": 5, "{.a}": 1, "{a..b}": 1 },
      }).map(
        ([text, column]): Row => [toValue(text), `VARIABLE_MALFORMED ${field} column=${column}`],
      ),
      ...kept(
        ...["banners-home", "{id}", "a-{event.fields.season.id}-{q}"].map((it) => toValue(it)),
      ),
    ]),
  ),
]);

play("the order of a rail and of a grid", [
  ...Object.entries({
    EVENT: ["start_time asc", "title.en desc"],
    CREATIVE_WORK: ["release_time desc"],
    ENTITY: ["id asc", "update_time desc"],
    UNSPECIFIED: ["update_time desc"],
  }).flatMap(([name, orders]) =>
    orders.flatMap((order) => [
      ...members("rail", [[{ type: `BASE_TYPE_${name}`, order }, { order }]]),
      ...members("content_grid", kept({ inline: { type: `BASE_TYPE_${name}`, order } })),
    ]),
  ),
  ...Object.entries({
    EVENT: [
      ...["release_time asc", "start_time", "start_time up", "start_time ASC"],
      ...["start_time asc, id asc", "fields.number asc"],
    ],
    ENTITY: ["start_time asc"],
  }).flatMap(([name, orders]) =>
    orders.flatMap((order) => [
      ...members("rail", [[{ type: `BASE_TYPE_${name}`, order }, "ORDER_INVALID order"]]),
      ...members("content_grid", [
        [{ inline: { type: `BASE_TYPE_${name}`, order } }, "ORDER_INVALID inline.order"],
      ]),
    ]),
  ),
]);

const PLAYERS = ["creative_work_player", "event_player"];
const toTexts = (length: number) =>
  Array.from({ length }, (_, at) => (at % 2 === 0 ? { filter: "a: b" } : { id: "{id}" }));

play("grids and players", [
  ...members("content_grid", [
    [{ inline: { filter: 5 } }, "VALUE_INVALID inline.filter"],
    [{ inline: { filter: { field: "a" } } }, "VALUE_INVALID inline.filter"],
    [{ inline: { search: ["x"] } }, "VALUE_INVALID inline.search"],
    [{ inline: { additional_filters: "a: 1" } }, "VALUE_INVALID inline.additional_filters"],
    [{ inline: { additionalFilters: { a: 1 } } }, "VALUE_INVALID inline.additional_filters"],
    // What a rail does not know stays, and null.
    ...kept({
      inline: { filter: null, card: { filter: "(", order: "{" }, order_by: "x", type: "tiles" },
    }),
  ]),
  ...PLAYERS.flatMap((player) =>
    members(player, [
      ...refused(
        "FIELD_REQUIRED id",
        ...[{}, { id: "" }, { id: null }, { query: null }, { autoplay: true }],
      ),
      ...kept({ id: "nothing-yet" }, { query: {} }),
      ...kept({ query: { all: toTexts(100), more: Array(500).fill("text"), open: "not.a.var}" } }),
      [{ query: { all: toTexts(101) } }, "QUERY_TOO_LARGE query"],
    ]),
  ),
  ...members("player_profile", [
    ...refused("FIELD_REQUIRED id", {}, { id: "" }, { id: null }, { jersey: {} }),
    ...["position", "club", "birth_date", "imageURL", "ID", "gender.mapping"].map(
      (name): Row => [{ id: "{id}", [name]: {} }, `FIELD_UNKNOWN ${name} ~${name}`],
    ),
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
  ...["name", "type", "environments", "visibility", "group_id", "css_classes"],
  ...["banner_collection", "banner_collection_v2", "calendar", "calendar_v2", "rail"],
  ...["content_grid", "filter", "creative_work_player", "event_player", "offers"],
  ...["player_profile", "promotional_content", "sponsorship_collection", "standings", "faq"],
  ...["footer", "text", "image", "html"],
].join(",");
const WRITTEN = { name: "Written", rail: { filter: "a: b" } };

play("a mask", [
  ...[
    ...["", " ", "\t\n", ",", "name,", ",name", "name,,type", undefined, null],
    ...["*", "name,*", "rail.filter", "rail.title.en", "name.", ".name", "page_component.name"],
    ...["nam", "Name", "NAME", "css-classes", "css_Classes", "data", "group id", "ｎame"],
    ...["id", "project_id", "projectId", "name,id", "id,project_id"],
    ...["__proto__", "constructor", "toString", "%2A", "content_carousel"],
  ].flatMap(
    (
      mask, // What gRPC takes for no name at all is refused without those that are allowed.
    ) =>
      updates(mask, [
        [
          WRITTEN,
          `UPDATE_MASK_INVALID${/[A-Z%]|__/.test(mask ?? "") ? "" : ` allowed=${ALLOWED}`}`,
        ],
      ]),
  ),
  ...updates("nothing", [[WRITTEN, "UPDATE_MASK_INVALID ~css_classes"]]),
  ...[["name"], { paths: ["name"] }, 1, true].map((mask) => ({
    call: CALL,
    body: { pageComponentId: ID, pageComponentUpdate: WRITTEN, updateMask: mask },
    want: "VALUE_INVALID update_mask",
  })),
]);

describe("a mask that is understood", () => {
  const masks: readonly (readonly [mask: string, changed: readonly string[]])[] = [
    ["name", ["name"]],
    ["css_classes,name", ["name", "css_classes"]],
    ["  name ,\tcss_classes\n", ["name", "css_classes"]],
    ["name,name,css_classes,name", ["name", "css_classes"]],
    ["cssClasses", ["css_classes"]],
    ["cssClasses,css_classes", ["css_classes"]],
    ["groupId, name", ["group_id", "name"]],
  ];
  for (const [mask, changed] of masks) {
    test(`${JSON.stringify(mask)} changes ${changed.join(" and ")} only`, async () => {
      const read = async () => (await readComponent(marquee, ID)).json.page_components[0];
      const values = { name: "N", css_classes: ["c"], group_id: "g", visibility: undefined };
      const before = await read();
      expect((await patchComponent(marquee, ID, values, mask)).status).toBe(200);
      const want = Object.entries(values).filter(([name]) => changed.includes(name));
      expect(await read()).toEqual({ ...before, ...Object.fromEntries(want) });
      await patchComponent(marquee, ID, before, "name,css_classes,group_id");
    });
  }

  test("comes with fields in either spelling", async () => {
    const sent = await send("PATCH", `${marquee.url}/ott/page_components/v2/rail-home-teams`, {
      token: marquee.tokens.owner,
      body: {
        pageComponentId: "rail-home-teams",
        pageComponentUpdate: { cssClasses: ["camel"], rail: { hideByDefault: true, see_all: {} } },
        updateMask: "css_classes,rail",
      },
    });
    expect(sent.status).toBe(200);
    expect(sent.json.page_component.css_classes).toEqual(["camel"]);
    expect(sent.json.page_component.rail).toMatchObject({ hide_by_default: true, see_all: {} });
  });
});

const BOTH = { rail: { filter: "a: b" }, text: { en: "x" } };

play("exactly one data member, of its type,", [
  ...updates("type,rail,text", refused("ONEOF_CONFLICT", BOTH)),
  ...updates("type,rail", refused("ONEOF_CONFLICT", { ...BOTH, type: "rail" })),
  ...updates("name", refused("ONEOF_CONFLICT", { ...BOTH, name: "x" })),
  ...updates("type,rail,text", refused("ONEOF_CONFLICT", { text: { en: "x" }, type: "text" })),
  ...updates("rail,text", refused("ONEOF_CONFLICT", {})),
  ...updates("calendar", refused("ONEOF_CONFLICT", { calendar: {}, calendar_v2: {} })),
  ...updates("faq", refused("ONEOF_CONFLICT", { faq: {}, html: {} })),
  ...updates("type,text", [
    [{ type: "text", text: { a: 1 }, rail: null, faq: null }, { text: { a: 1 } }],
  ]),
]);

const MISMATCH = "TYPE_MISMATCH type ~update_mask";

play(
  "the only data member and its type",
  [
    ...updates(
      "faq",
      refused("DATA_MEMBER_REQUIRED", {}, { faq: null }, { type: "faq" }),
      "faq-help",
    ),
    ...updates("text", refused(MISMATCH, { text: {} }, { text: {}, type: "text" }), "faq-help"),
    ...updates(
      "type",
      refused(
        MISMATCH,
        ...["rail", "carousel", undefined, "content_carousel"].map((type) => ({ type })),
      ),
      "faq-help",
    ),
    ...updates(
      "type,contentGrid",
      refused(MISMATCH, { type: "content_carousel", contentGrid: {} }),
      "faq-help",
    ),
    ...updates("type", refused(MISMATCH, { type: "calendarV2" }), "calendar-home"),
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

describe("objects without a published form", () => {
  const texts: readonly (readonly [what: string, json: string, id?: string, member?: string])[] = [
    ["a key __proto__", '{"__proto__":{"__proto__":null},"a":{"__proto__":1}}'],
    ["big and small numbers", '{"a":[1e308,-1e-308,0.1,123456789012345,1.7976931348623157e308]}'],
    ["escapes", '{"\\u0000\\"\\\\":"\\ud83d\\ude00\\b\\f\\n\\r\\t/"}'],
    ["nulls at every level", '{"a":null,"b":[null,{"c":null}]}'],
    ["empty keys and texts", '{"":"","a":{"":{}}}'],
    ["depth 40", '{"a":'.repeat(40).concat("1", "}".repeat(40))],
    ["depth 90", '{"a":'.repeat(90).concat("1", "}".repeat(90)), "html-player", "html"],
    ["arrays of depth 90", `{"a":${"[".repeat(89)}${"]".repeat(89)}}`, "footer-home", "footer"],
  ];
  for (const [what, json, id = "faq-help", member = "faq"] of texts) {
    test(`come back unchanged with ${what}, now and when they are read again`, async () => {
      for (const mask of [member, "name"]) {
        const got = await send("PATCH", `${marquee.url}/ott/page_components/v2/${id}`, {
          token: marquee.tokens.owner,
          body: `{"page_component_update":{"name":"n","${member}":${json}},"update_mask":"${mask}"}`,
        });
        const want = JSON.stringify(JSON.parse(json));
        expect(JSON.stringify(got.json.page_component?.[member])).toBe(want);
      }
    });
  }
});

const whole = (rows: readonly (readonly [JsonMessage, string])[]) =>
  toCases(
    {
      call: CALL,
      body: (it: JsonMessage) => ({
        ...{ pageComponentId: ID, pageComponentUpdate: { name: "x" }, updateMask: "name", ...it },
      }),
    },
    rows,
  );
const twice = (field: string, update: JsonMessage) =>
  [{ pageComponentUpdate: update }, `FIELD_DUPLICATE page_component_update.${field}`] as const;

play("what does not fit its field is refused by its path, also when the mask does not name it,", [
  ...whole([
    [{ allow_missing: true }, "FIELD_UNKNOWN allow_missing"],
    [{ validateOnlyOnce: null }, "FIELD_UNKNOWN validateOnlyOnce"],
    [{ update_mask: "name" }, "FIELD_DUPLICATE update_mask"],
    twice("css_classes", { css_classes: [], cssClasses: [] }),
    twice("rail.hide_by_default", { rail: { hide_by_default: true, hideByDefault: true } }),
    ...["name", [], 1, true].map(
      (it) => [{ pageComponentUpdate: it }, "VALUE_INVALID page_component_update"] as const,
    ),
    ...[undefined, null].map(
      (it) => [{ pageComponentUpdate: it }, "FIELD_REQUIRED page_component_update"] as const,
    ),
    [{ pageComponentId: "nothing-here" }, "404 RESOURCE_NOT_FOUND ~nothing-here"],
  ]),
  ...updates("name", [
    [{ title: 1 }, "FIELD_UNKNOWN title"],
    [{ cssclasses: [] }, "FIELD_UNKNOWN cssclasses"],
    [{ rail: { sort: "asc" } }, "FIELD_UNKNOWN rail.sort"],
    [{ text_2: {} }, "FIELD_UNKNOWN text_2"],
    ...refused("VALUE_INVALID name", { name: 1 }, { name: ["x"] }),
    [{ type: true }, "VALUE_INVALID type"],
    ...refused("VALUE_INVALID environments", { environments: "web" }, { environments: { 0: "a" } }),
    [{ environments: ["web", 1] }, "VALUE_INVALID environments[1]"],
    [{ environments: [null] }, "VALUE_INVALID environments[0]"],
    ...[true, ["VISIBILITY_HIDDEN"], 2].map(
      (visibility): Row => [{ visibility }, "VALUE_INVALID visibility"],
    ),
    [{ group_id: {} }, "VALUE_INVALID group_id"],
    [{ css_classes: [["a"]] }, "VALUE_INVALID css_classes[0]"],
    ...refused("VALUE_INVALID rail", { rail: "all" }, { rail: [] }),
    [{ rail: { title: "Matches" } }, "VALUE_INVALID rail.title"],
    ...[1, null].map((en): Row => [{ rail: { title: { en } } }, 'VALUE_INVALID rail.title["en"]']),
    [{ rail: { limit: "ten" } }, "VALUE_INVALID rail.limit"],
    ...["true", 1].map(
      (it): Row => [{ rail: { hide_by_default: it } }, "VALUE_INVALID rail.hide_by_default"],
    ),
    [{ rail: { pinned: "a" } }, "VALUE_INVALID rail.pinned"],
    ...[[], "big"].map((card): Row => [{ rail: { card } }, "VALUE_INVALID rail.card"]),
    ...refused("VALUE_INVALID text", { text: "Good evening" }, { text: [{}] }),
    [{ filter: { controls: [{}, 7] } }, "VALUE_INVALID filter.controls[1]"],
    [{ offers: { offer: {} } }, "VALUE_INVALID offers.offer"],
    [{ banner_collection: { gradients: {} } }, "VALUE_INVALID banner_collection.gradients"],
    [
      { banner_collection: { height_fraction: "half" } },
      "VALUE_INVALID banner_collection.height_fraction",
    ],
    // Enumerations are exact names, and a refusal says those that exist.
    ...["PUBLISHED", "visibility_hidden", "", "VISIBILITY_SECRET"].map(
      (visibility): Row => [{ visibility }, "ENUM_UNKNOWN visibility"],
    ),
    [{ rail: { type: "EVENT" } }, "ENUM_UNKNOWN rail.type ~BASE_TYPE_CREATIVE_WORK"],
    [
      { banner_collection: { gradients: ["BANNER_COLLECTION_GRADIENT_TOP", "TOP"] } },
      "ENUM_UNKNOWN banner_collection.gradients[1] ~BANNER_COLLECTION_GRADIENT_LEFT",
    ],
    [
      { banner_collection_v2: { border_radius: "BORDER_RADIUS_HUGE" } },
      "ENUM_UNKNOWN banner_collection_v2.border_radius ~BORDER_RADIUS_SMALL",
    ],
    [
      { banner_collection_v2: { transition_effect: "1" } },
      "ENUM_UNKNOWN banner_collection_v2.transition_effect ~TRANSITION_EFFECT_FADE",
    ],
    [
      { banner_collection_v2: { size_strategy: "" } },
      `ENUM_UNKNOWN banner_collection_v2.size_strategy ~${STRATEGY}CONTENT_HEIGHT`,
    ],
    [
      { filter: { chip_border_radius: "none" } },
      "ENUM_UNKNOWN filter.chip_border_radius ~BORDER_RADIUS_NONE",
    ],
  ]),
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

  test("a data member is changed alone, and ignored when it is not named", async () => {
    const before = await readNotice();
    const text = { en: "Good evening" };
    expect((await patchComponent(marquee, NOTICE, { text }, "text")).status).toBe(200);
    expect(await readNotice()).toEqual({ ...before, data: text });
    const got = await patchComponent(marquee, NOTICE, { name: before.name, rail: {} }, "name");
    expect(got.status).toBe(200);
    expect(await readNotice()).toEqual({ ...before, data: text });
  });

  test("id and project_id in the component that is sent are ignored", async () => {
    const update = { id: "other", project_id: "sandbox", name: "Kept" };
    const got = await patchComponent(marquee, NOTICE, update, "name");
    const { id, project_id, name } = got.json.page_component;
    expect([id, project_id, name]).toEqual([NOTICE, "worldcup", "Kept"]);
  });

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

play("enumerated values", [
  ...updates("environments", [
    ...kept(
      ...["web", "ios", "android", "tvos", "lg", "samsung", "androidtv"].map((it) => ({
        environments: [it],
      })),
    ),
    ...["Web", "roku", "", " web"].map(
      (it): Row => [{ environments: ["web", it] }, "ENVIRONMENT_UNKNOWN environments"],
    ),
  ]),
  ...updates(
    "visibility",
    kept(...["PUBLISHED", "UNLISTED", "HIDDEN"].map((it) => ({ visibility: `VISIBILITY_${it}` }))),
  ),
]);

test("an id in the body that differs from that of the path is refused", async () => {
  for (const [page_component_id, reason] of [
    ...["rail-home-matches", "", "IMAGE-HELP", `${ID} `].map((it) => [it, "PATH_BODY_MISMATCH"]),
    [7, "VALUE_INVALID"],
  ]) {
    const before = await stored();
    const got = await send("PATCH", `${marquee.url}/ott/page_components/v2/${ID}`, {
      token: marquee.tokens.owner,
      body: { page_component_id, page_component_update: { name: "Other" }, update_mask: "name" },
    });
    expect(refusal(got)).toEqual([400, reason]);
    expect(metadataOf(got)?.field).toBe("page_component_id");
    expect(await stored()).toBe(before);
  }
});
