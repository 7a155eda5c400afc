import { describe, expect, test } from "vitest";
import { metadataOf, reasonOf, send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import type { JsonMessage } from "../methods.ts";
import { type Case, playCases, toCases } from "../play-cases.ts";

const marquee = await useMarquee();

const REQUIRED = { project_id: "worldcup", name: "R" };
const post = (body: unknown) =>
  send("POST", `${marquee.url}/streaming/video_protection/v2/rulesets`, {
    token: marquee.tokens.owner,
    body,
  });

/** Makes cases of fields of a new ruleset; kept are all that the response has beside id, project and name. */
const toRows = (rows: readonly (readonly [JsonMessage, unknown])[]): Case[] =>
  toCases(
    {
      call: "streaming.ruleset.v2.RulesetService/CreateRuleset",
      within: "video_protection_ruleset",
      body: (fields) => ({
        videoProtectionRuleset: { projectId: "worldcup", name: "R", ...fields },
      }),
      read: ({ videoProtectionRuleset }) => {
        const { id, projectId, name, ...rest } = videoProtectionRuleset as JsonMessage;
        expect([typeof id, projectId, name]).toEqual(["string", "worldcup", "R"]);
        return rest;
      },
    },
    rows,
  );
const asSent = (...all: JsonMessage[]) => toRows(all.map((fields) => [fields, fields]));
const refused = (want: string, name: string, values: readonly unknown[]) =>
  toRows(values.map((value) => [{ [name]: value }, `${want} ${name}`]));
const countRulesets = async () => (await marquee.store.rulesets.list("worldcup")).length;

const DE = { countryCodes: ["DE"] };
const GROUPS: readonly JsonMessage[] = [
  { geoRestrictionsDisallow: DE, geoRestrictionsAllow: DE, allowAllGeographies: true },
  { domains: { domains: ["a.example"] }, allowAllDomains: true },
  { geoApplicabilityExempt: DE, geoApplicabilityApply: DE },
  {
    appliesToAll: true,
    target: {
      entityIds: ["team-esp"],
      eventIds: ["match-2026-104"],
      creativeWorkIds: ["highlights-2026-104"],
      contentStartTime: "2026-06-11T19:00:00Z",
      contentEndTime: "2026-07-19T21:00:00.123456789Z",
      videoIds: ["video-match-2026-104"],
    },
    filter: { filterEvents: "content_type: match", filterCreativeWorks: "id: *" },
  },
];

playCases(
  marquee,
  "rules 1 to 5: of each group one member, and a false boolean is not sent",
  GROUPS.flatMap((members) => {
    const all = Object.entries(members);
    const flag = all.find(([, value]) => value === true)?.[0];
    return [
      ...all.flatMap(([name, value], index) => [
        ...asSent({ [name]: value }),
        ...toRows(
          all
            .slice(index + 1)
            .map(([other]) => [{ [name]: value, [other]: members[other] }, "ONEOF_CONFLICT"]),
        ),
        ...(flag === undefined || flag === name
          ? []
          : toRows([
              [{ [flag]: false, [name]: value }, { [name]: value }],
              [{ [name]: value, [flag]: false }, { [name]: value }],
            ])),
      ]),
      ...toRows([
        [{ ...nulls(all), [all[0]?.[0] ?? ""]: all[0]?.[1] }, Object.fromEntries(all.slice(0, 1))],
        ...(flag === undefined ? [] : [[{ [flag]: false }, {}] as const]),
      ]),
    ];
  }),
  countRulesets,
);

function nulls(members: readonly (readonly [string, unknown])[]): JsonMessage {
  return Object.fromEntries(members.map(([name]) => [name, null]));
}

const FLAGS = [
  ...["disallowVpnUsage", "disallowHotlinking", "requireAuthentication"],
  ...["requireEntitlement", "enforceConcurrencyLimits"],
];
const ALL_TRUE = { requireAuthentication: true, requireEntitlement: true };
const WINDOW = { contentStartTime: "2026-06-11T19:00:00Z" };
const LISTS = ["geoRestrictionsDisallow", "geoRestrictionsAllow"].concat(
  ...["geoApplicabilityExempt", "geoApplicabilityApply"],
);

playCases(
  marquee,
  "a new ruleset",
  [
    ...asSent({}, { disabled: true }, { requireEntitlement: false }),
    ...toRows([[{ disabled: false }, {}]]),
    ...refused("FIELD_REQUIRED", "name", [null, ""]),
    ...["", null].flatMap((projectId) => toRows([[{ projectId }, "FIELD_REQUIRED project_id"]])),
    ...toRows([
      [{ id: "mine" }, "FIELD_OUTPUT_ONLY id"],
      [{ projectId: "nothing" }, "404 RESOURCE_NOT_FOUND"],
      [{ geo: {} }, "FIELD_UNKNOWN geo"],
      [{ drm: { level: 1 } }, "FIELD_UNKNOWN drm.level"],
      [{ target: { ids: [] } }, "FIELD_UNKNOWN target.ids"],
      // Rules 6, 10 and 11: three states, and what a flag needs.
      [ALL_TRUE, ALL_TRUE],
      [{ requireEntitlement: true }, "RULE_DEPENDENCY require_entitlement"],
      [{ enforceConcurrencyLimits: true }, "RULE_DEPENDENCY enforce_concurrency_limits"],
      [{ requireEntitlement: true, drm: { hwsMinimumQuality: -1 } }, "RULE_DEPENDENCY"],
      // Rule 12: DRM.
      [{ drm: null }, {}],
      [{ drm: {} }, { drm: {} }],
      [{ drm: { enabled: false } }, { drm: {} }],
      [{ drm: { hwsMinimumQuality: -1 } }, "VALUE_OUT_OF_RANGE drm.hws_minimum_quality"],
      ...[2_147_483_648, 1.5, "high"].map(
        (value) =>
          [{ drm: { hwsMinimumQuality: value } }, "VALUE_INVALID drm.hws_minimum_quality"] as const,
      ),
      // Priorities are of 64 bits.
      [{ priority: "0" }, {}],
      [{ priority: 7 }, { priority: "7" }],
      [{ priority: 9007199254740991 }, { priority: "9007199254740991" }],
      // Windows of time.
      [{ target: { ...WINDOW, contentEndTime: "2026-06-11T21:00:00+02:00" } }, sameTimes()],
      [
        { target: { ...WINDOW, contentEndTime: "2026-06-11T20:59:59+02:00" } },
        "TIME_WINDOW_INVALID target.content_end_time",
      ],
      ...["2026-02-30T00:00:00Z", "2026-06-11", "2026-06-11 19:00:00Z", "now", 0, ""]
        .concat("2026-06-11T24:00:00Z", "2026-06-11T19:00:00", "2026-13-01T00:00:00Z")
        .map(
          (time) =>
            [
              { target: { contentStartTime: time } },
              "VALUE_INVALID target.content_start_time",
            ] as const,
        ),
      ...["contentStartTime", "contentEndTime"].map(
        (name) =>
          [
            { target: { [name]: "2026-06-11T21:00:00.5+02:00" } },
            { target: { [name]: "2026-06-11T19:00:00.500Z" } },
          ] as const,
      ),
      // Filters are kept as sent.
      [{ filter: {} }, { filter: {} }],
      [{ filter: { filterEvents: "a: x or (b: y" } }, "KQL_SYNTAX filter.filter_events"],
      [{ filter: { filterCreativeWorks: ")" } }, "KQL_SYNTAX filter.filter_creative_works"],
      [{ filter: { filterEvents: `a: "${"x".repeat(9e3)}"` } }, "KQL_LIMIT filter.filter_events"],
      [{ domains: {} }, { domains: {} }],
      [{ domains: { domains: ["a", "*.a.example"] } }, "DOMAIN_INVALID domains.domains"],
      [{ domains: { domains: ["[::1]"] } }, "DOMAIN_INVALID domains.domains"],
    ]),
    ...asSent(
      { domains: { domains: ["EXAMPLE.com", "münchen.example", "127.0.0.1"] } },
      { filter: { filterEvents: ' content_type : match  AND NOT (fields.a:"b" or id: a*) ' } },
      ...["9223372036854775807", "-9223372036854775808"].map((priority) => ({ priority })),
      ...[1, 2_147_483_647].map((hwsMinimumQuality) => ({
        drm: { enabled: true, hwsMinimumQuality, splitKeys: true },
      })),
    ),
    ...refused("VALUE_INVALID", "priority", [
      ...["9223372036854775808", 1.5, "high", "", true, [], {}, "1 "],
    ]),
    ...FLAGS.flatMap((name) => [
      ...(name.startsWith("d") ? asSent({ [name]: true }, { [name]: false }) : []),
      ...toRows([[{ [name]: null }, {}]]),
      ...toRows(
        ["true", 1, "", []].map((value) => [
          { [name]: value },
          `VALUE_INVALID ${name.replace(/[A-Z]/g, (it) => `_${it.toLowerCase()}`)}`,
        ]),
      ),
    ]),
    ...LISTS.flatMap((name) =>
      toRows([
        [{ [name]: { countryCodes: ["de", "At"] } }, { [name]: { countryCodes: ["DE", "AT"] } }],
        [{ [name]: {} }, { [name]: {} }],
        [{ [name]: { countryCodes: ["DE", "ſe"] } }, "COUNTRY_CODE_INVALID"],
      ]),
    ),
  ],
  countRulesets,
);

function sameTimes() {
  return { target: { ...WINDOW, contentEndTime: WINDOW.contentStartTime } };
}

playCases(marquee, "a new ruleset that is only tried", [
  {
    call: "streaming.ruleset.v2.RulesetService/CreateRuleset",
    body: {
      videoProtectionRuleset: { projectId: "worldcup", name: "R", requireEntitlement: true },
      validateOnly: true,
    },
    want: "RULE_DEPENDENCY video_protection_ruleset.require_entitlement",
  },
]);

describe("a new ruleset over REST", () => {
  test("shows the zero values only, beside what was sent", async () => {
    const { id, ...rest } = (await post(REQUIRED)).json.video_protection_ruleset;
    expect(rest).toEqual({ ...REQUIRED, disabled: false, priority: "0" });
    const { json } = await post({ ...REQUIRED, drm: {}, filter: {}, geo_restrictions_allow: {} });
    expect(json.video_protection_ruleset).toMatchObject({
      drm: { enabled: false, hws_minimum_quality: 0, split_keys: false },
      filter: { filter_events: "", filter_creative_works: "" },
      geo_restrictions_allow: { country_codes: [] },
    });
  });

  test("gets an id and a tag of its own", async () => {
    const got = await Promise.all(Array.from({ length: 20 }, () => post(REQUIRED)));
    expect(new Set(got.map((it) => it.headers.get("etag"))).size).toBe(20);
    const ids = new Set(got.map((it) => it.json.video_protection_ruleset.id));
    expect(ids.size).toBe(20);
    const { ruleset } = marquee.store.in("org-worldcup").documents;
    for (const id of ids) expect((await ruleset.get(id)).value.name).toBe("R");
  });

  test("keeps the digits of a long priority without quotes", async () => {
    const got = await post('{"project_id":"worldcup","name":"R","priority":9223372036854775807}');
    expect(got.json.video_protection_ruleset.priority).toBe("9223372036854775807");
  });

  test("is refused with a message that names the members, the country or the column", async () => {
    const both = await post({ ...REQUIRED, allow_all_domains: true, domains: {} });
    expect(both.json.message).toMatch(/domains.*allow_all_domains|allow_all_domains.*domains/);
    const codes = { country_codes: ["DE", "UK"] };
    const country = await post({ ...REQUIRED, geo_restrictions_allow: codes });
    expect(country.json.message).toContain("'UK'");
    expect(metadataOf(country)?.field).toBe(
      "video_protection_ruleset.geo_restrictions_allow.country_codes",
    );
    const filter = await post({ ...REQUIRED, filter: { filter_events: "a: x or (b: y" } });
    expect([filter.json.code, reasonOf(filter)]).toEqual([3, "KQL_SYNTAX"]);
    expect(metadataOf(filter)?.column).toBe("14");
  });
});
