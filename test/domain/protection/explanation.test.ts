import { describe, expect, test } from "vitest";
import { decide, type RuleName, type Viewer } from "../../../src/domain/protection/index.ts";
import { build, GROUPS, type RulesetInit } from "./build.ts";

const { allDomains, domains, exempt, geoAll, geoAllow, geoDisallow } = GROUPS;
const VPN = { disallowVpnUsage: true };

const ORDER: readonly RuleName[] = [
  "geo_restrictions",
  "disallow_vpn_usage",
  "disallow_hotlinking",
  "domain_restrictions",
  "require_authentication",
  "require_entitlement",
  "enforce_concurrency_limits",
];
const EVERYTHING: RulesetInit = {
  ...geoAllow("DE"),
  ...VPN,
  disallowHotlinking: true,
  ...domains("a.example"),
  requireAuthentication: true,
  requireEntitlement: true,
  enforceConcurrencyLimits: true,
  ...exempt("FR"),
};
const GOOD: Viewer = {
  country: "DE",
  vpn: false,
  referrer: "https://a.example/",
  userId: "u",
  entitlement: true,
  hasStream: true,
};
const ALL_FACTS = [
  "country",
  "vpn",
  "address",
  "referrer",
  "authentication",
  "entitlement",
  "concurrency",
];

describe("an answer explains itself", () => {
  const outcomes = (init: RulesetInit, viewer: Viewer) => {
    const decision = decide(build(init), viewer);
    if (decision.kind === "needs_entitlement") throw new Error("the entitlement is known");
    expect(decision.rules.map(({ rule }) => rule)).toEqual(ORDER);
    expect(decision.rules.every(({ detail }) => detail !== "")).toBe(true);
    const letters = { pass: "p", fail: "F", skipped: "s", not_set: "-" };
    const letter = decision.rules.map(({ outcome }) => letters[outcome]).join("");
    return [letter, decision.inputs, decision.rulesetId, decision.kind === "deny" && decision.rule];
  };
  const none: string[] = [];
  const known = ["country", "vpn", "address", "referrer", "authentication"];

  test.each<[string, RulesetInit, Viewer, unknown[]]>([
    ["an empty ruleset", {}, GOOD, ["-------", none, "r", false]],
    ["everything, a good viewer", EVERYTHING, GOOD, ["ppppppp", ALL_FACTS, "r", false]],
    [
      "everything, the wrong country",
      EVERYTHING,
      { ...GOOD, country: "AT" },
      ["Fppppss", known, "r", ORDER[0]],
    ],
    ["everything, nothing known", EVERYTHING, {}, ["FpppFss", known, "r", ORDER[0]]],
    ["everything, a VPN", EVERYTHING, { ...GOOD, vpn: true }, ["pFpppss", known, "r", ORDER[1]]],
    [
      "everything, another site",
      EVERYTHING,
      { ...GOOD, referrer: "x" },
      ["pppFpss", known, "r", ORDER[3]],
    ],
    [
      "everything, a VPN on another site",
      EVERYTHING,
      { ...GOOD, vpn: true, referrer: "x" },
      ["pFpFpss", known, "r", ORDER[1]],
    ],
    [
      "everything, no entitlement",
      EVERYTHING,
      { ...GOOD, entitlement: false },
      ["pppppFs", [...known, "entitlement"], "r", ORDER[5]],
    ],
    [
      "everything, no stream",
      EVERYTHING,
      { ...GOOD, hasStream: false },
      ["ppppppF", ALL_FACTS, "r", ORDER[6]],
    ],
    [
      "explicit permissions",
      { ...geoAll(true), ...allDomains(true), disallowVpnUsage: false },
      GOOD,
      ["pp-p---", none, "r", false],
    ],
    [
      "false in the groups' booleans",
      { ...geoAll(false), ...allDomains(false) },
      GOOD,
      ["-------", none, "r", false],
    ],
    ["countries to apply to", exempt("FR"), GOOD, ["-------", ["country"], "r", false]],
  ])("%s", (_name, init, viewer, want) => {
    expect(outcomes(init, viewer)).toEqual(want);
  });

  test.each<[string, RulesetInit, Viewer, RegExp]>([
    ["an unknown country that is allowed", geoDisallow("AT"), {}, /country is unknown.*disallowed/],
    ["an unknown country that is denied", geoAllow("AT"), {}, /country is unknown.*of allowed/],
    ["a country", geoAllow("AT"), { country: "DE" }, /^DE is not among the allowed/],
    ["an unknown VPN", VPN, {}, /unknown whether/],
    ["a site", domains("a.example"), { referrer: "https://b.example/" }, /^b\.example is in none/],
    ["a broken referrer", domains("a.example"), { referrer: "b" }, /not the address of a site/],
    ["no referrer", domains("a.example"), {}, /no referrer/],
    ["a limit without effect", { enforceConcurrencyLimits: true }, {}, /no effect without/],
  ])("the detail tells of %s", (_name, init, viewer, want) => {
    const decision = decide(build(init), viewer);
    if (decision.kind === "needs_entitlement") throw new Error("no entitlement is required");
    const told = decision.rules.filter(({ outcome }) => outcome !== "not_set");
    expect(told.map(({ detail }) => detail)).toEqual([expect.stringMatching(want)]);
  });

  test("a needed look-up names the user", () => {
    expect(decide(build({ requireEntitlement: true }), { userId: "u" })).toEqual({
      kind: "needs_entitlement",
      userId: "u",
    });
  });
});
