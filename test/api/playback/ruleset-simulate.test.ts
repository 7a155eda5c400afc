import { create } from "@bufbuild/protobuf";
import { afterEach, describe, expect, test } from "vitest";
import { RulesetService } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import { SimulateRulesetsRequestSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/simulation_pb.ts";
import { VideoProtectionRulesetSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { ProtectedVideos } from "../../../src/api/delivery/protected-video.ts";
import { ProjectRulesets } from "../../../src/api/reads/project-reads.ts";
import { RulesetSimulation } from "../../../src/api/studio/ruleset-simulation.ts";
import { ALL_VISIBILITIES } from "../../../src/domain/content/visibility.ts";
import { createListBudget } from "../../../src/storage/sql/base/list-budget.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import type { JsonMessage } from "../methods.ts";
import { playCases, toCases } from "../play-cases.ts";
import { callStudio } from "../studio.ts";

const marquee = await useMarquee();
const { documents } = marquee.store.in("org-worldcup");

/** A video of the demo that only `ruleset-default` applies to, and the event that shows it. */
const VIDEO = "video-match-2026-104";
const EVENT = "match-2026-104";
/** When simulations take place that say nothing else. */
const TIME = "2026-07-19T20:00:00Z";
const DE = { countryCodes: ["DE"] };
const SITES = { domains: { domains: ["a.example"] } };
const AUTH = { requireAuthentication: true };
const SOLD = { ...AUTH, requireEntitlement: true };
const COUNTED = { ...SOLD, enforceConcurrencyLimits: true };

/** A user with an entitlement to the video. */
const buyer = await findBuyer();
afterEach(async () => {
  for (const { id, name } of await marquee.store.rulesets.list("worldcup")) {
    if (name === "R") await documents.ruleset.delete(id, () => undefined);
  }
});

async function findBuyer(): Promise<string> {
  for (let number = 1; number <= 800; number += 1) {
    const userId = `user-worldcup-${String(number).padStart(4, "0")}`;
    const viewer = { projectId: "worldcup", userId, now: new Date(TIME) };
    const watched = { videoId: VIDEO, eventIds: [EVENT], creativeWorkIds: [] };
    if (await marquee.store.entitlements.covers({ ...viewer, ...watched })) return userId;
  }
  throw new Error("nobody has bought the video");
}

const call = callStudio(marquee, RulesetService);
const simulate = async (message: JsonMessage = {}) => {
  const whole = { projectId: "worldcup", videoId: VIDEO, time: TIME, ...message };
  const got = await call("SimulateRulesets", whole);
  expect(got.status, got.text).toBe(200);
  return got.value;
};
/** Makes a ruleset that decides about the video before those of the demo; returns its id. */
const decideBy = async (fields: JsonMessage): Promise<string> => {
  const ruleset = { projectId: "worldcup", name: "R", priority: "1000", ...fields };
  const { value } = await call("CreateRuleset", {
    videoProtectionRuleset:
      "filter" in fields ? ruleset : { target: { videoIds: [VIDEO] }, ...ruleset },
  });
  return value.videoProtectionRuleset.id;
};

describe("a simulation", () => {
  const rules = [
    ...["geo_restrictions", "disallow_vpn_usage", "disallow_hotlinking", "domain_restrictions"],
    ...["require_authentication", "require_entitlement", "enforce_concurrency_limits"],
  ];
  test.each<[rule: string, fields: JsonMessage, viewer: JsonMessage, want: string]>([
    ["geo_restrictions", { geoRestrictionsAllow: DE }, { countryCode: "de" }, "pass"],
    ["geo_restrictions", { geoRestrictionsAllow: DE }, {}, "GEO_NOT_ALLOWED"],
    ["geo_restrictions", {}, { countryCode: "DE" }, "not_set"],
    ["disallow_vpn_usage", { disallowVpnUsage: true }, { vpn: true }, "VPN_NOT_ALLOWED"],
    ["disallow_hotlinking", { disallowHotlinking: true }, { ipAddress: "192.0.2.1" }, "pass"],
    ["domain_restrictions", SITES, { referrer: "https://www.a.example/x" }, "pass"],
    ["domain_restrictions", SITES, { referrer: "https://b.example/" }, "DOMAIN_NOT_ALLOWED"],
    ["require_authentication", AUTH, { userId: "" }, "AUTHENTICATION_REQUIRED"],
    ["require_entitlement", SOLD, { userId: buyer }, "pass"],
    ["require_entitlement", SOLD, { userId: "somebody" }, "ENTITLEMENT_REQUIRED"],
    ["enforce_concurrency_limits", COUNTED, { userId: buyer }, "pass"],
  ])("%s: %j and %j is %s", async (rule, fields, viewer, want) => {
    const id = await decideBy(fields);
    const got = await simulate({ viewer });
    const isAllowed = want === "pass" || want === "not_set";
    expect(got).toMatchObject({
      decision: isAllowed ? "DECISION_ALLOW" : "DECISION_DENY",
      rulesetId: id,
      applicableRulesetIds: [id, "ruleset-default"],
    });
    expect(got.reason ?? "").toBe(isAllowed ? "" : want);
    const outcome = got.rules.find((it: { rule: string }) => it.rule === rule)?.outcome;
    expect(outcome).toBe(isAllowed ? want : "fail");
    expect(got.rules.map((it: { rule: string }) => it.rule)).toEqual(rules);
    for (const { detail } of got.rules) expect(detail).toMatch(/./);
  });

  test("looks no entitlement up behind a rule that denies, and names all that deny", async () => {
    await decideBy({ ...COUNTED, geoRestrictionsAllow: {}, disallowVpnUsage: true });
    const got = await simulate({ viewer: { vpn: true, userId: buyer } });
    expect(got.reason).toBe("GEO_NOT_ALLOWED");
    expect(got.rules.map((it: { outcome: string }) => it.outcome)).toEqual([
      ...["fail", "fail", "not_set", "not_set", "pass", "skipped", "skipped"],
    ]);
  });

  test("takes no stream, however often it is asked, and says so", async () => {
    await decideBy(COUNTED);
    for (let round = 0; round < 10; round += 1) {
      const got = await simulate({ viewer: { userId: buyer } });
      expect(got.decision).toBe("DECISION_ALLOW");
      expect(got.rules.at(-1)?.detail).toContain("as if a stream is free");
    }
  });

  test("without a viewer is of somebody of whom nothing is known", async () => {
    const rulesetId = await decideBy(AUTH);
    const want = { decision: "DECISION_DENY", reason: "AUTHENTICATION_REQUIRED", rulesetId };
    expect(await simulate()).toMatchObject(want);
  });

  test("decides by the time it is given, and by now without one", async () => {
    const filterEvents = `id: "${EVENT}" and start_time > now`;
    const id = await decideBy({ filter: { filterEvents }, geoRestrictionsAllow: {} });
    const before = await simulate({ time: "2026-06-01T00:00:00Z" });
    expect([before.decision, before.rulesetId]).toEqual(["DECISION_DENY", id]);
    const scope = { projectId: "worldcup", visibilities: ALL_VISIBILITIES, at: undefined };
    const event = await marquee.store.events.get({ ...scope, id: EVENT });
    const start = String(JSON.parse(event.json).startTime);
    const justBefore = new Date(Date.parse(start) - 1).toISOString().replace("Z", "999999Z");
    expect((await simulate({ time: justBefore })).rulesetId).toBe(id);
    expect((await simulate({ time: start })).rulesetId).toBe("ruleset-default");
    const after = await simulate({ time: "2027-06-01T00:00:00Z" });
    expect(after.rulesetId).toBe("ruleset-default");
    await call("UpdateRuleset", {
      ...{ rulesetId: id, updateMask: "filter" },
      videoProtectionRuleset: { filter: { filterEvents: "start_time < now+5200w" } },
    });
    expect((await simulate({ time: undefined })).rulesetId).toBe(id);
  });

  test("lists what applies to the viewer, the highest priority and smallest id first", async () => {
    const made: string[] = [];
    for (const priority of ["7", "-9223372036854775808", "9223372036854775807", "7"]) {
      made.push(await decideBy({ priority }));
    }
    const french = await decideBy({ geoApplicabilityApply: { countryCodes: ["FR"] } });
    const [a = "", last = "", first = "", b = ""] = made;
    const got = await simulate({ viewer: { countryCode: "DE" } });
    const want = [first, ...[a, b].sort(), "ruleset-default", last];
    expect([got.rulesetId, got.applicableRulesetIds]).toEqual([first, want]);
    const inFrance = await simulate({ viewer: { countryCode: "FR" } });
    expect(inFrance.applicableRulesetIds).toContain(french);
  });

  test("shows what looks wrong with the ruleset that decides", async () => {
    expect((await simulate()).warnings).toBeUndefined();
    await decideBy({ drm: { hwsMinimumQuality: 1 }, geoRestrictionsAllow: {} });
    const codes = (await simulate()).warnings.map((it: { code: string }) => it.code);
    expect(codes).toEqual(["EMPTY_GEOGRAPHY", "QUALITY_WITHOUT_DRM"]);
  });

  test("without any ruleset allows and names none", async () => {
    const kept = await documents.ruleset.get("ruleset-default");
    await documents.ruleset.delete("ruleset-default", () => undefined);
    const got = await simulate();
    await documents.ruleset.create(kept.value);
    expect(got).toEqual({ decision: "DECISION_ALLOW", availability: "AVAILABILITY_OPEN" });
  });
});

playCases(
  marquee,
  "a simulation",
  toCases(
    {
      call: "streaming.ruleset.v2.RulesetService/SimulateRulesets",
      body: (it: JsonMessage) => ({ projectId: "worldcup", videoId: VIDEO, ...it }),
    },
    [
      [{ viewer: { countryCode: "XX" } }, "COUNTRY_CODE_INVALID viewer.country_code"],
      [{ viewer: { ipAddress: "192.0.2.1:80" } }, "ADDRESS_INVALID viewer.ip_address"],
      [{ videoId: "" }, "FIELD_REQUIRED video_id"],
      [{ projectId: "" }, "FIELD_REQUIRED project_id"],
      [{ viewer: { country: "DE" } }, "FIELD_UNKNOWN viewer.country"],
      ...["nothing", "sandbox-video-1", VIDEO.toUpperCase(), `${VIDEO}"`].map(
        (videoId) => [{ videoId }, "404 RESOURCE_NOT_FOUND"] as const,
      ),
      [{ projectId: "sandbox" }, "404 RESOURCE_NOT_FOUND"],
    ],
  ),
);

describe("the address of a simulated viewer", () => {
  const german = { case: "geoRestrictionsDisallow", value: DE } as const;
  test.each([
    [{ ipAddress: "192.0.2.1" }, ["192.0.2.1"], "GEO_NOT_ALLOWED"],
    [{ ipAddress: "2001:db8::1", vpn: false }, ["2001:db8::1"], "GEO_NOT_ALLOWED"],
    // It gives way to a country and a VPN that are given.
    [{ ipAddress: "192.0.2.1", countryCode: "at" }, ["192.0.2.1"], "VPN_NOT_ALLOWED"],
    [{ ipAddress: "192.0.2.1", countryCode: "AT", vpn: false }, ["192.0.2.1"], ""],
    [{}, [], ""],
  ])("of %j is looked up: %j, and decides: %s", async (viewer, want, reason) => {
    const all = create(VideoProtectionRulesetSchema, {
      ...{ id: "german", projectId: "worldcup", name: "R", priority: 1_000n },
      ...{ geoRestrictions: german, disallowVpnUsage: true },
      applicability: { case: "appliesToAll", value: true },
    });
    await documents.ruleset.create(all);
    const asked: string[] = [];
    const { store } = marquee;
    const videos = new ProtectedVideos(store, new ProjectRulesets(store.rulesets, store));
    const simulation = new RulesetSimulation(store, videos, {
      lookUp(address) {
        asked.push(address);
        return { country: "DE", vpn: true };
      },
    });
    const init = { projectId: "worldcup", videoId: VIDEO, viewer };
    const got = await simulation.simulate(create(SimulateRulesetsRequestSchema, init), {
      now: new Date(),
      release: undefined,
      budget: createListBudget(),
    });
    expect([asked, got.reason]).toEqual([want, reason]);
  });
});
