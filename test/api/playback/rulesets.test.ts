import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { RulesetService } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { type HttpResponse, send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { callDelivery, idsOf } from "../delivery.ts";
import type { JsonMessage } from "../methods.ts";
import { type Case, playCases, toCases } from "../play-cases.ts";
import { callStudio } from "../studio.ts";

const marquee = await useMarquee();
const { ruleset: documents } = marquee.store.in("org-worldcup").documents;

const SERVICE = "streaming.ruleset.v2.RulesetService";
const call = callStudio(marquee, RulesetService);
const countRulesets = async () => (await marquee.store.rulesets.list("worldcup")).length;
const make = async (fields: JsonMessage = {}) => {
  const ruleset = { projectId: "worldcup", name: "R", ...fields };
  const got = await call("CreateRuleset", { videoProtectionRuleset: ruleset });
  return { id: String(got.value?.videoProtectionRuleset.id), got };
};
const update = (rulesetId: string, fields: JsonMessage, updateMask: string) =>
  call("UpdateRuleset", { rulesetId, videoProtectionRuleset: fields, updateMask });
const remove = (rulesetId: string) => call("DeleteRuleset", { rulesetId });
/** Reads all of a ruleset but its id, project and name. */
const read = async (rulesetId: string) =>
  restOf((await call("GetRuleset", { rulesetId })).value as JsonMessage);

function restOf({ videoProtectionRuleset }: JsonMessage): JsonMessage {
  const { id, projectId, name, ...rest } = videoProtectionRuleset as JsonMessage;
  expect([typeof id, projectId, name]).toEqual(["string", "worldcup", "R"]);
  return rest;
}

type Row = readonly [fields: JsonMessage, want: unknown];

/** Makes cases of fields of a new ruleset, and of what the response has of them. */
const creations = (rows: readonly Row[]): Case[] =>
  toCases(
    {
      ...{ call: `${SERVICE}/CreateRuleset`, within: "video_protection_ruleset", read: restOf },
      body: (fields) => ({
        videoProtectionRuleset: { projectId: "worldcup", name: "R", ...fields },
      }),
    },
    rows,
  );
const asSent = (...all: JsonMessage[]) => creations(all.map((fields) => [fields, fields]));

const CHANGED = (await make()).id;
/** Makes cases of changes of one ruleset, one after the other, and of what it has after each. */
const changes = (rows: readonly (readonly [mask: string, ...Row])[], rulesetId = CHANGED): Case[] =>
  rows.flatMap(([updateMask, ...row]) =>
    toCases(
      {
        ...{ call: `${SERVICE}/UpdateRuleset`, within: "video_protection_ruleset", read: restOf },
        body: (fields: JsonMessage) => ({ rulesetId, videoProtectionRuleset: fields, updateMask }),
      },
      [row],
    ),
  );

const DE = { countryCodes: ["DE"] };
const GROUPS: readonly JsonMessage[] = [
  { geoRestrictionsDisallow: DE, geoRestrictionsAllow: DE, allowAllGeographies: true },
  { domains: { domains: ["a.example"] }, allowAllDomains: true },
  { geoApplicabilityExempt: DE, geoApplicabilityApply: DE },
  {
    target: {
      entityIds: ["team-esp"],
      eventIds: ["match-2026-104"],
      creativeWorkIds: ["highlights-2026-104"],
      contentStartTime: "2026-06-11T19:00:00Z",
      contentEndTime: "2026-07-19T21:00:00.123456789Z",
      videoIds: ["video-match-2026-104"],
    },
    filter: { filterEvents: "content_type: match", filterCreativeWorks: "id: *" },
    appliesToAll: true,
  },
];
const toSnakeCase = (name: string) => name.replace(/[A-Z]/g, (it) => `_${it.toLowerCase()}`);

for (const members of GROUPS) {
  const all = Object.entries(members).map(([name, value]) => ({ [name]: value }));
  const [first = {}, second = {}] = all;
  const [a = "", b = ""] = Object.keys(members);
  const flag = Object.keys(members).find((name) => members[name] === true);
  const neutral = flag === undefined ? [] : [{ [flag]: false }];

  playCases(
    marquee,
    `rules 1 to 5: of ${Object.keys(members).join(", ")} one is set, and a false boolean is not sent`,
    [
      ...asSent(...all),
      ...creations(neutral.map((it) => [it, {}])),
      ...creations(neutral.map((it) => [{ ...it, ...first }, first])),
      ...creations(neutral.map((it) => [{ ...first, ...it }, first])),
      ...creations([[{ ...second, ...first }, `ONEOF_CONFLICT ~${toSnakeCase(a)}`]]),
      ...changes([
        [a, first, first],
        ...[{}, ...neutral].map((it) => [flag ?? b, it, first] as const),
        [a, { ...first, ...second }, `ONEOF_CONFLICT ~${toSnakeCase(b)}`],
        ["disabled", {}, first],
        [b, second, second],
        [b, {}, {}],
      ]),
    ],
    countRulesets,
  );
}

const BOTH = { requireAuthentication: true, requireEntitlement: true };
const ALL = { ...BOTH, enforceConcurrencyLimits: true };
const WINDOW = { contentStartTime: "2026-06-11T19:00:00Z" };
// What a ruleset's values may be, all of test/domain/protection/ruleset.test.ts tries; of each rule one is here.
playCases(
  marquee,
  "a new ruleset",
  [
    ...asSent(
      ...[{}, { disabled: true }, ALL, { priority: "-9223372036854775808" }],
      { requireEntitlement: false, disallowVpnUsage: false, disallowHotlinking: true },
      { drm: { enabled: true, hwsMinimumQuality: 2_147_483_647, splitKeys: true } },
      { domains: { domains: ["EXAMPLE.com", "münchen.example", "127.0.0.1"] } },
      { filter: { filterEvents: ' content_type : match  AND NOT (fields.a:"b" or id: a*) ' } },
    ),
    ...creations([
      [{ disabled: false, priority: "0", drm: null, disallowVpnUsage: null }, {}],
      [{ geoRestrictionsAllow: { countryCodes: ["de"] } }, { geoRestrictionsAllow: DE }],
      [{ priority: 7 }, { priority: "7" }],
      [{ drm: { enabled: false } }, { drm: {} }],
      [{ priority: "9223372036854775808" }, "VALUE_INVALID priority"],
      [{ name: "" }, "FIELD_REQUIRED name"],
      [{ projectId: null }, "FIELD_REQUIRED project_id"],
      [{ projectId: "nothing" }, "404 RESOURCE_NOT_FOUND"],
      [{ id: "mine" }, "FIELD_OUTPUT_ONLY id"],
      [{ drm: { level: 1 } }, "FIELD_UNKNOWN drm.level"],
      [{ requireEntitlement: true }, "RULE_DEPENDENCY require_entitlement"],
      [{ enforceConcurrencyLimits: true }, "RULE_DEPENDENCY enforce_concurrency_limits"],
      [{ drm: { hwsMinimumQuality: -1 } }, "VALUE_OUT_OF_RANGE drm.hws_minimum_quality"],
      [
        { target: { ...WINDOW, contentEndTime: "2026-06-11T20:59:59+02:00" } },
        "TIME_WINDOW_INVALID target.content_end_time",
      ],
      [
        { target: { contentStartTime: "2026-02-30T00:00:00Z" } },
        "VALUE_INVALID target.content_start_time",
      ],
      [{ filter: { filterEvents: "a: x or (b: y" } }, "KQL_SYNTAX filter.filter_events column=14"],
      [{ filter: { filterEvents: `a: "${"x".repeat(9e3)}"` } }, "KQL_LIMIT filter.filter_events"],
      [{ domains: { domains: ["a", "*.a.example"] } }, "DOMAIN_INVALID domains.domains"],
      [
        { geoApplicabilityExempt: { countryCodes: ["DE", "UK"] } },
        "COUNTRY_CODE_INVALID geo_applicability_exempt.country_codes ~'UK'",
      ],
    ]),
  ],
  countRulesets,
);

playCases(
  marquee,
  "a change of a ruleset",
  [
    ...changes([
      ["disallowVpnUsage", { disallowVpnUsage: false, priority: "1" }, { disallowVpnUsage: false }],
      ["disallowVpnUsage", { priority: "1" }, {}],
      ["requireAuthentication,requireEntitlement,enforceConcurrencyLimits", ALL, ALL],
      ["enforceConcurrencyLimits", { id: "x", projectId: "sandbox" }, BOTH],
      // By what is stored and what is sent together.
      ["requireAuthentication", {}, "RULE_DEPENDENCY require_entitlement"],
      ["name,priority", { priority: "1" }, "FIELD_REQUIRED name"],
      ["requireAuthentication,requireEntitlement", {}, {}],
      ["drm", { drm: { splitKeys: true }, disabled: true }, { drm: { splitKeys: true } }],
      ["drm", {}, {}],
      ["drm.enabled", { name: "no" }, "UPDATE_MASK_INVALID ~enforce_concurrency_limits"],
    ]),
  ],
  () => read(CHANGED),
);

test("a ruleset over REST shows the zero values beside what was sent", async () => {
  const post = (body: string) =>
    send("POST", `${marquee.url}/streaming/video_protection/v2/rulesets`, {
      ...{ token: marquee.tokens.owner, body },
    });
  const required = '"project_id":"worldcup","name":"R"';
  const { id, ...rest } = (await post(`{${required}}`)).json.video_protection_ruleset;
  expect(rest).toEqual({ project_id: "worldcup", name: "R", disabled: false, priority: "0" });
  const { json } = await post(
    `{${required},"drm":{},"filter":{},"geo_restrictions_allow":{},"priority":9223372036854775807}`,
  );
  expect(json.video_protection_ruleset).toMatchObject({
    drm: { enabled: false, hws_minimum_quality: 0, split_keys: false },
    filter: { filter_events: "", filter_creative_works: "" },
    geo_restrictions_allow: { country_codes: [] },
    priority: "9223372036854775807",
  });
});

describe("at the same moment", () => {
  test("changes that break a rule only together are not both written", async () => {
    const { id } = await make({ requireAuthentication: true });
    const got = await Promise.all([
      update(id, { requireEntitlement: true }, "require_entitlement"),
      update(id, { requireAuthentication: false }, "require_authentication"),
    ]);
    expect(got.map((it) => it.status).sort()).toEqual([200, 400]);
  });
});

test("a ruleset takes part in decisions and lists until it is deleted, disabled or not", async () => {
  const decide = async () => {
    const message = { projectId: "worldcup", videoId: "video-match-2026-104" };
    const { value } = await call("SimulateRulesets", { ...message, viewer: { countryCode: "DE" } });
    return [value.decision, value.rulesetId];
  };
  const events = async () => {
    const message = { pageSize: 5, excludeGeoblocked: true };
    const got = await callDelivery(
      marquee,
      "svc.cda.cms.event.v1.EventService/ListEvents",
      message,
    );
    return idsOf(got, "events").length;
  };
  const before = await decide();
  const { id } = await make({ priority: "1000", appliesToAll: true, geoRestrictionsAllow: {} });
  expect([await decide(), await events()]).toEqual([["DECISION_DENY", id], 0]);
  await update(id, { disabled: true }, "disabled");
  expect(await decide()).toEqual(["DECISION_DENY", id]);
  await update(id, { allowAllGeographies: true }, "allow_all_geographies");
  expect(await decide()).toEqual(["DECISION_ALLOW", id]);
  await remove(id);
  expect(await decide()).toEqual(before);
  expect(await events()).toBe(5);
});

const warningsOf = ({ headers }: HttpResponse): readonly { code: string; message: string }[] =>
  JSON.parse(headers.get("marquee-warnings") ?? "[]");

describe("the header Marquee-Warnings", () => {
  /** Comes before the demo's ruleset for everything, which has the priority 0. */
  const first = { priority: "1", appliesToAll: true };
  const nothing = "NO_SUCH_THING";
  // What is warned of, all of test/domain/protection/lint.test.ts tries, but for what storage finds.
  const cases: readonly (readonly [JsonMessage, readonly string[]])[] = [
    [first, []],
    [{ priority: "1" }, ["APPLIES_TO_NOTHING"]],
    [
      { priority: "1", filter: { filterEvents: `id: ${nothing}`, filterCreativeWorks: nothing } },
      ["FILTER_MATCHES_NOTHING"],
    ],
    [{ filter: { filterEvents: "id: *", filterCreativeWorks: nothing }, priority: "1" }, []],
    [{ filter: { filterEvents: nothing, filterCreativeWorks: "id: *" }, priority: "1" }, []],
    [
      { drm: { hwsMinimumQuality: 1 }, geoRestrictionsAllow: {}, priority: "-1" },
      ["SHADOWED", "APPLIES_TO_NOTHING", "EMPTY_GEOGRAPHY", "QUALITY_WITHOUT_DRM"],
    ],
  ];

  test.each(cases)("of %j, created and updated, is %j", async (fields, want) => {
    // Those of other tests shadow nothing.
    for (const { id, name } of await marquee.store.rulesets.list("worldcup")) {
      if (name === "R" && id !== CHANGED) await documents.delete(id, () => undefined);
    }
    const created = await make({ ...fields, disabled: true });
    expect([created.got.status, warningsOf(created.got).map(({ code }) => code)]).toEqual([
      200,
      want,
    ]);
    expect(created.got.headers.has("marquee-warnings")).toBe(want.length > 0);
    await remove(created.id);
    const { id } = await make({ priority: "2" });
    const changed = await update(id, fields, Object.keys(fields).join());
    expect([changed.status, warningsOf(changed).map(({ code }) => code)]).toEqual([200, want]);
    await remove(id);
  });

  for (const protocol of ["REST", "Connect POST"] as const) {
    test(`is ASCII JSON of code and message over ${protocol}, and of writes alone`, async () => {
      const id = `é"\u{1f600}\u007f${protocol}`;
      const init = { id, projectId: "worldcup", name: "R", priority: 5n };
      const applicability = { case: "appliesToAll" as const, value: true };
      await documents.create(create(VideoProtectionRulesetSchema, { ...init, applicability }));
      const callService = callStudio(marquee, RulesetService, protocol);
      const got = await callService("CreateRuleset", {
        videoProtectionRuleset: { projectId: "worldcup", name: "R", priority: "4" },
      });
      expect(got.headers.get("marquee-warnings")).toMatch(/^[ -~]+$/);
      expect(warningsOf(got)).toEqual([
        { code: "SHADOWED", message: expect.stringContaining(`ruleset '${id}'`) },
        { code: "APPLIES_TO_NOTHING", message: "applies to no video" },
      ]);
      const rulesetId = got.value.videoProtectionRuleset.id;
      for (const other of [
        await callService("GetRuleset", { rulesetId }),
        await callService("ListRulesets", { projectId: "worldcup" }),
        await callService("DeleteRuleset", { rulesetId }),
      ]) {
        expect([other.status, other.headers.get("marquee-warnings")]).toEqual([200, null]);
      }
      await documents.delete(id, () => undefined);
    });
  }
});
