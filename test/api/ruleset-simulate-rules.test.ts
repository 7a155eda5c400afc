import { afterEach, describe, expect, test } from "vitest";
import { useMarquee } from "../harness/use-marquee.ts";
import { RULESET_FACES, type RulesetFields } from "./rulesets.ts";
import { createSimulations, deleteMade, findBuyer, rulesOf } from "./simulations.ts";

/** A user with an entitlement to the video. */
let buyer = "";
const marquee = await useMarquee();
buyer = await findBuyer(marquee);
afterEach(() => deleteMade(marquee));

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
const AUTH = { require_authentication: true };
const SOLD = { ...AUTH, require_entitlement: true };
const COUNTED = { ...SOLD, enforce_concurrency_limits: true };
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
