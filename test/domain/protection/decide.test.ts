import { create, type JsonObject } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { DrmSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import {
  decide,
  lacksEntitlement,
  type RuleName,
  type Viewer,
} from "../../../src/domain/protection/decide.ts";
import { openCases } from "../../harness/cases.ts";
import { build, GROUPS, type RulesetInit, readRuleset } from "./build.ts";

const each = openCases("protection/decide");

const { allDomains, domains, exempt, geoAll, geoAllow } = GROUPS;

/** Decides and returns `allow`, or the reason of the denial. */
function decideInShort(ruleset: JsonObject, viewer: Viewer): string {
  const decision = decide(readRuleset(ruleset), viewer);
  return decision.kind === "deny" ? decision.reason : decision.kind;
}

// The rules of docs/contract/rulesets.md by number; for 3 and 4 see applies.test.ts.
each<[string, JsonObject, Viewer, string]>("the decision", (_name, ruleset, viewer, want) => {
  expect(decideInShort(ruleset, viewer)).toBe(want);
});

each<[string, string?, boolean?]>("rule 8: a referrer", (listed, referrer, isAllowed) => {
  const got = decideInShort({ domains: { domains: listed.split(" ") } }, { referrer });
  expect([referrer, got]).toEqual([referrer, isAllowed ? "allow" : "DOMAIN_NOT_ALLOWED"]);
});

describe("rule 8: a referrer", () => {
  test.each([undefined, "https://evil.net/", "rubbish"])(
    "%s is allowed by an empty list, by allow_all_domains and by default",
    (referrer) => {
      for (const init of [domains(), allDomains(true), allDomains(false), {}]) {
        expect(decide(build(init), { referrer })).toMatchObject({ kind: "allow", inputs: [] });
      }
    },
  );

  test("takes part when there is a list, sent or not", () => {
    for (const referrer of [undefined, "https://example.com/", "https://evil.net/"]) {
      const got = decide(build(domains("example.com")), { referrer });
      expect(got).toMatchObject({ inputs: ["referrer"] });
    }
  });
});

test.each([
  [undefined, false],
  [false, false],
  [true, true],
])("rule 7: hotlinking %s binds the playlist URL to the address: %s", (state, bindAddress) => {
  const init = state === undefined ? {} : { disallowHotlinking: state };
  const inputs = bindAddress ? ["address"] : [];
  expect(decide(build(init), {})).toMatchObject({ kind: "allow", bindAddress, inputs });
});

test("rule 12: DRM is handed on as the ruleset has it", () => {
  expect(decide(build({}), {})).not.toHaveProperty("drm");
  for (const drm of [
    { enabled: false },
    { enabled: true, hwsMinimumQuality: 720, splitKeys: true },
  ]) {
    expect(decide(build({ drm }), {})).toHaveProperty("drm", create(DrmSchema, drm));
  }
});

test("without a ruleset everyone may play", () => {
  expect(decide(undefined, { vpn: true, referrer: "x" })).toEqual({
    ...{ kind: "allow", bindAddress: false, enforceConcurrency: false, rules: [], inputs: [] },
  });
});

describe("a response explains itself", () => {
  const ORDER: readonly RuleName[] = [
    "geo_restrictions",
    "disallow_vpn_usage",
    "disallow_hotlinking",
    "domain_restrictions",
    "require_authentication",
    "require_entitlement",
    "enforce_concurrency_limits",
  ];
  const ALL: RulesetInit = {
    ...geoAllow("DE"),
    ...domains("a.example"),
    ...exempt("FR"),
    ...{ disallowVpnUsage: true, disallowHotlinking: true, requireAuthentication: true },
    ...{ requireEntitlement: true, enforceConcurrencyLimits: true },
  };
  const GOOD: Viewer = {
    ...{ country: "DE", vpn: false, referrer: "https://a.example/", userId: "u" },
    ...{ entitlement: true, hasStream: true },
  };
  const FACTS = "country vpn address referrer authentication entitlement concurrency".split(" ");
  const permissions = { ...geoAll(true), ...allDomains(true), disallowVpnUsage: false };

  /** The outcomes of the rules as letters, how many facts counted, and the rule that denies. */
  test.each<[string, RulesetInit, Viewer, string, number, RuleName?]>([
    ["an empty ruleset", {}, GOOD, "-------", 0],
    ["everything, a good viewer", ALL, GOOD, "ppppppp", 7],
    ["the wrong country", ALL, { ...GOOD, country: "AT" }, "Fppppss", 5, "geo_restrictions"],
    ["nothing known", ALL, {}, "FpppFss", 5, "geo_restrictions"],
    ["a VPN", ALL, { ...GOOD, vpn: true }, "pFpppss", 5, "disallow_vpn_usage"],
    ["another site", ALL, { ...GOOD, referrer: "x" }, "pppFpss", 5, "domain_restrictions"],
    ["both", ALL, { ...GOOD, vpn: true, referrer: "x" }, "pFpFpss", 5, "disallow_vpn_usage"],
    ["no entitlement", ALL, { ...GOOD, entitlement: false }, "pppppFs", 6, "require_entitlement"],
    ["no stream", ALL, { ...GOOD, hasStream: false }, "ppppppF", 7, "enforce_concurrency_limits"],
    ["explicit permissions", permissions, GOOD, "pp-p---", 0],
    ["false in the groups", { ...geoAll(false), ...allDomains(false) }, GOOD, "-------", 0],
    ["countries to apply to", exempt("FR"), GOOD, "-------", 1],
  ])("%s", (_name, init, viewer, letters, facts, rule) => {
    const decision = decide(build(init), viewer);
    const letterOf = { pass: "p", fail: "F", skipped: "s", not_set: "-" };
    expect(decision.rules.map((it) => it.rule)).toEqual(ORDER);
    expect(decision.rules.every(({ detail }) => detail !== "")).toBe(true);
    expect(decision.rules.map(({ outcome }) => letterOf[outcome]).join("")).toBe(letters);
    expect(decision).toMatchObject({ inputs: FACTS.slice(0, facts), rulesetId: "r" });
    expect(decision.kind === "deny" ? decision.rule : undefined).toBe(rule);
  });

  each<[string, JsonObject, Viewer, string]>(
    "the detail of a rule that is set",
    (_name, ruleset, viewer, want) => {
      const set = decide(readRuleset(ruleset), viewer).rules.filter(
        ({ outcome }) => outcome !== "not_set",
      );
      expect(set.map(({ detail }) => detail)).toEqual([expect.stringMatching(want)]);
    },
  );

  test("an entitlement is looked up only if nothing else denies", () => {
    const lacks = (init: RulesetInit) => lacksEntitlement(decide(build(init), { userId: "u" }));
    expect(lacks({ requireEntitlement: true })).toBe(true);
    expect(lacks({ requireEntitlement: true, ...geoAllow("DE") })).toBe(false);
    expect(lacks({})).toBe(false);
  });
});
