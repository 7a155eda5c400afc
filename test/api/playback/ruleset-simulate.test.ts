import { create } from "@bufbuild/protobuf";
import { afterEach, describe, expect, test } from "vitest";
import { SimulateRulesetsRequestSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/simulation_pb.ts";
import { ProjectRulesets } from "../../../src/api/delivery/project-rulesets.ts";
import { ProtectedVideos } from "../../../src/api/delivery/protected-video.ts";
import { RulesetSimulation } from "../../../src/api/studio/ruleset-simulation.ts";
import { refusal } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { playCases, toCases } from "../play-cases.ts";
import { changeRulesets, RULESET_FACES, type RulesetFields } from "./rulesets.ts";
import { createSimulations, deleteMade, EVENT, findBuyer, rulesOf, VIDEO } from "./simulations.ts";

const marquee = await useMarquee();

/** A user with an entitlement to the video. */
const buyer = await findBuyer(marquee);
afterEach(() => deleteMade(marquee));

const AUTH = { require_authentication: true };
const COUNTED = { ...AUTH, require_entitlement: true, enforce_concurrency_limits: true };

for (const face of RULESET_FACES) {
  const { update, simulate, decideBy } = createSimulations(marquee, face);

  describe(`a simulation over ${face}`, () => {
    test("looks no entitlement up behind a rule that denies, and names all that deny", async () => {
      await decideBy({ ...COUNTED, geo_restrictions_allow: {}, disallow_vpn_usage: true });
      const got = await simulate({ viewer: { vpn: true, user_id: buyer } });
      expect(got.json.reason).toBe("GEO_NOT_ALLOWED");
      expect(rulesOf(got).map((it) => it.outcome)).toEqual([
        ...["fail", "fail", "not_set", "not_set", "pass", "skipped", "skipped"],
      ]);
    });

    test("takes no stream, however often it is asked, and says so", async () => {
      await decideBy(COUNTED);
      for (let round = 0; round < 10; round += 1) {
        const got = await simulate({ viewer: { user_id: buyer } });
        expect(got.json.decision).toBe("DECISION_ALLOW");
        expect(rulesOf(got).at(-1)?.detail).toContain("as if a stream is free");
      }
    });

    test("without a viewer is of somebody of whom nothing is known", async () => {
      const { id } = await decideBy(AUTH);
      expect((await simulate()).json).toMatchObject({
        decision: "DECISION_DENY",
        reason: "AUTHENTICATION_REQUIRED",
        ruleset_id: id,
      });
    });

    test("decides by the time it is given, and by now without one", async () => {
      const { id } = await decideBy({
        applies_to_all: undefined,
        target: undefined,
        filter: { filter_events: `id: "${EVENT}" and start_time > now` },
        geo_restrictions_allow: {},
      });
      const before = await simulate({ time: "2026-06-01T00:00:00Z" });
      expect([before.json.decision, before.json.ruleset_id]).toEqual(["DECISION_DENY", id]);
      const after = await simulate({ time: "2027-06-01T00:00:00Z" });
      expect(after.json.ruleset_id).toBe("ruleset-default");
      await update(id, { filter: { filter_events: "start_time < now+5200w" } }, "filter");
      expect((await simulate({ time: undefined })).json.ruleset_id).toBe(id);
    });

    test("lists what applies to the viewer, the highest priority and smallest id first", async () => {
      const made = [];
      for (const priority of ["7", "-9223372036854775808", "9223372036854775807", "7"]) {
        made.push((await decideBy({ priority })).id);
      }
      const elsewhere = { geo_applicability_apply: { country_codes: ["FR"] } };
      const { id: french } = await decideBy(elsewhere);
      const [a = "", last = "", first = "", b = ""] = made;
      const want = [first, ...[a, b].sort(), "ruleset-default", last];
      const got = await simulate({ viewer: { country_code: "DE" } });
      expect(got.json.applicable_ruleset_ids).toEqual(want);
      expect(got.json.ruleset_id).toBe(first);
      const inFrance = await simulate({ viewer: { country_code: "FR" } });
      expect(inFrance.json.applicable_ruleset_ids).toContain(french);
    });

    test("shows what looks wrong with the ruleset that decides", async () => {
      expect((await simulate()).json.warnings ?? []).toEqual([]);
      await decideBy({ drm: { hws_minimum_quality: 1 }, geo_restrictions_allow: {} });
      const codes = (await simulate()).json.warnings.map((it: { code: string }) => it.code);
      expect(codes).toEqual(["EMPTY_GEOGRAPHY", "QUALITY_WITHOUT_DRM"]);
    });

    test("without any ruleset allows and names none", async () => {
      const { ruleset } = marquee.store.in("org-worldcup").documents;
      const kept = await ruleset.get("ruleset-default");
      await ruleset.delete("ruleset-default", () => undefined);
      const got = await simulate();
      await ruleset.create(kept.value);
      expect(got.json.decision).toBe("DECISION_ALLOW");
      const { ruleset_id = "", reason = "", rules = [], applicable_ruleset_ids = [] } = got.json;
      expect([ruleset_id, reason, rules, applicable_ruleset_ids]).toEqual(["", "", [], []]);
    });

    test("of a video that is not the project's is 404", async () => {
      for (const video_id of ["nothing", "sandbox-video-1", VIDEO.toUpperCase(), `${VIDEO}"`]) {
        expect(refusal(await simulate({ video_id }))).toEqual([404, "RESOURCE_NOT_FOUND"]);
      }
      expect(refusal(await simulate({ project_id: "sandbox" }))).toEqual([
        404,
        "RESOURCE_NOT_FOUND",
      ]);
    });
  });
}

playCases(
  marquee,
  "a simulation",
  toCases(
    {
      call: "streaming.ruleset.v2.RulesetService/SimulateRulesets",
      body: (it: object) => ({ projectId: "worldcup", videoId: VIDEO, ...it }),
    },
    [
      ...["XX", "ß", " DE"].map(
        (countryCode) =>
          [{ viewer: { countryCode } }, "COUNTRY_CODE_INVALID viewer.country_code"] as const,
      ),
      ...["1.2.3", "192.0.2.1:80", "::g"].map(
        (ipAddress) => [{ viewer: { ipAddress } }, "ADDRESS_INVALID viewer.ip_address"] as const,
      ),
      [{ videoId: "" }, "FIELD_REQUIRED video_id"],
      [{ projectId: "" }, "FIELD_REQUIRED project_id"],
      [{ viewer: { country: "DE" } }, "FIELD_UNKNOWN viewer.country"],
    ],
  ),
);

const RULES = [
  "geo_restrictions",
  "disallow_vpn_usage",
  "disallow_hotlinking",
  "domain_restrictions",
  "require_authentication",
  "require_entitlement",
  "enforce_concurrency_limits",
];

const DE = { country_codes: ["DE"] };
const SOLD = { ...AUTH, require_entitlement: true };
const SITES = { domains: { domains: ["a.example"] } };
const user = () => ({ user_id: buyer });

/** What a ruleset says, who comes, and what is to be said of which rule: `pass`, or the reason. */
type Case = readonly [
  rule: string,
  fields: RulesetFields,
  viewer: RulesetFields | (() => RulesetFields),
  want: string,
];
const CASES: readonly Case[] = [
  ["geo_restrictions", { geo_restrictions_allow: DE }, { country_code: "de" }, "pass"],
  ["geo_restrictions", { geo_restrictions_allow: DE }, {}, "GEO_NOT_ALLOWED"],
  [
    "geo_restrictions",
    { geo_restrictions_disallow: DE },
    { country_code: "DE" },
    "GEO_NOT_ALLOWED",
  ],
  ["geo_restrictions", {}, { country_code: "DE" }, "not_set"],
  ["disallow_vpn_usage", { disallow_vpn_usage: true }, { vpn: true }, "VPN_NOT_ALLOWED"],
  ["disallow_vpn_usage", { disallow_vpn_usage: false }, { vpn: true }, "pass"],
  ["disallow_hotlinking", { disallow_hotlinking: true }, { ip_address: "192.0.2.1" }, "pass"],
  ["domain_restrictions", SITES, { referrer: "https://www.a.example/x" }, "pass"],
  ["domain_restrictions", SITES, { referrer: "https://b.example/" }, "DOMAIN_NOT_ALLOWED"],
  ["require_authentication", AUTH, { user_id: "somebody" }, "pass"],
  ["require_authentication", AUTH, { user_id: "" }, "AUTHENTICATION_REQUIRED"],
  ["require_entitlement", SOLD, user, "pass"],
  ["require_entitlement", SOLD, { user_id: "somebody" }, "ENTITLEMENT_REQUIRED"],
  ["enforce_concurrency_limits", COUNTED, user, "pass"],
];

for (const face of RULESET_FACES) {
  const { simulate, decideBy } = createSimulations(marquee, face);

  describe(`each rule in a simulation over ${face}`, () => {
    for (const [rule, fields, viewer, want] of CASES) {
      const who = typeof viewer === "function" ? "a buyer" : JSON.stringify(viewer);
      test(`${rule}: ${JSON.stringify(fields)} and ${who} is ${want}`, async () => {
        const { id } = await decideBy(fields);
        const got = await simulate({ viewer: typeof viewer === "function" ? viewer() : viewer });
        const isAllowed = want === "pass" || want === "not_set";
        expect(got.json).toMatchObject({
          decision: isAllowed ? "DECISION_ALLOW" : "DECISION_DENY",
          ruleset_id: id,
          applicable_ruleset_ids: [id, "ruleset-default"],
        });
        expect(got.json.reason ?? "").toBe(isAllowed ? "" : want);
        expect(rulesOf(got).find((it) => it.rule === rule)?.outcome).toBe(
          isAllowed ? want : "fail",
        );
        expect(rulesOf(got).map((it) => it.rule)).toEqual(RULES);
        for (const { detail } of rulesOf(got)) expect(detail).not.toBe("");
      });
    }
  });
}

describe("the address of a simulated viewer", () => {
  const simulateFrom = async (viewer: object) => {
    const asked: string[] = [];
    const { store } = marquee;
    const videos = new ProtectedVideos(store, new ProjectRulesets(store, store.rulesets));
    const noEntitlement = { covers: async () => undefined };
    const simulation = new RulesetSimulation(videos, noEntitlement, (address) => {
      asked.push(address);
      return { country: "DE", vpn: true };
    });
    const init = { projectId: "worldcup", videoId: VIDEO, viewer };
    const got = await simulation.simulate(create(SimulateRulesetsRequestSchema, init), new Date());
    return { asked, reason: got.reason };
  };
  const { make } = changeRulesets(marquee, "REST");
  const rules = { priority: "1000", applies_to_all: true, disallow_vpn_usage: true };
  const german = { ...rules, geo_restrictions_disallow: { country_codes: ["DE"] } };

  test("is looked up for what is not given", async () => {
    await make(german);
    for (const ipAddress of ["192.0.2.1", "2001:db8::1", "::ffff:192.0.2.1"]) {
      const got = await simulateFrom({ ipAddress });
      expect(got).toEqual({ asked: [ipAddress], reason: "GEO_NOT_ALLOWED" });
    }
  });

  test("gives way to a country and a VPN that are given", async () => {
    await make(german);
    const ipAddress = "192.0.2.1";
    const reasons = [
      (await simulateFrom({ ipAddress, countryCode: "at" })).reason,
      (await simulateFrom({ ipAddress, countryCode: "AT", vpn: false })).reason,
      (await simulateFrom({ ipAddress, vpn: false })).reason,
    ];
    expect(reasons).toEqual(["VPN_NOT_ALLOWED", "", "GEO_NOT_ALLOWED"]);
  });

  test("that is not given is not looked up", async () => {
    await make(german);
    expect(await simulateFrom({})).toEqual({ asked: [], reason: "" });
  });
});
