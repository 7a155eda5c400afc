import { create } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { DrmSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { decide, type Viewer } from "../../../src/domain/protection/index.ts";
import { build, decideInShort, GROUPS, type RulesetInit } from "./build.ts";

const { allDomains, domains, geoAll, geoAllow, geoDisallow } = GROUPS;
const AUTH = { requireAuthentication: true };
const ENTITLED = { ...AUTH, requireEntitlement: true };
const LIMITED = { ...ENTITLED, enforceConcurrencyLimits: true };
const VPN = { disallowVpnUsage: true };
const USER = { userId: "u" };

test.each<[number, string, RulesetInit, Viewer, string]>([
  [1, "an allowed country", geoAllow("AT", "DE"), { country: "DE" }, "allow"],
  [1, "a country that is not allowed", geoAllow("AT"), { country: "DE" }, "GEO_NOT_ALLOWED"],
  [1, "an unknown country and a list of allowed ones", geoAllow("AT"), {}, "GEO_NOT_ALLOWED"],
  [1, "an empty list of allowed countries", geoAllow(), { country: "DE" }, "GEO_NOT_ALLOWED"],
  [1, "a disallowed country", geoDisallow("AT", "DE"), { country: "DE" }, "GEO_NOT_ALLOWED"],
  [1, "a country that is not disallowed", geoDisallow("AT"), { country: "DE" }, "allow"],
  [1, "an unknown country and a list of disallowed ones", geoDisallow("AT"), {}, "allow"],
  [1, "an empty list of disallowed countries", geoDisallow(), { country: "DE" }, "allow"],
  [1, "all geographies", geoAll(true), { country: "DE" }, "allow"],
  [2, "a listed domain", domains("a.example"), { referrer: "https://a.example/" }, "allow"],
  [
    2,
    "another domain",
    domains("a.example"),
    { referrer: "https://b.example/" },
    "DOMAIN_NOT_ALLOWED",
  ],
  [2, "all domains", allDomains(true), { referrer: "https://b.example/" }, "allow"],
  [5, "allow_all_geographies false", geoAll(false), { country: "DE" }, "allow"],
  [5, "allow_all_domains false", allDomains(false), { referrer: "https://b.example/" }, "allow"],
  [6, "a VPN, disallowed", VPN, { vpn: true }, "VPN_NOT_ALLOWED"],
  [6, "no VPN, disallowed", VPN, { vpn: false }, "allow"],
  [6, "perhaps a VPN, disallowed", VPN, {}, "allow"],
  [6, "a VPN, explicitly allowed", { disallowVpnUsage: false }, { vpn: true }, "allow"],
  [6, "a VPN, neutral", {}, { vpn: true }, "allow"],
  [7, "hotlinking disallowed", { disallowHotlinking: true }, {}, "allow"],
  [9, "a user, authentication required", AUTH, USER, "allow"],
  [9, "no user, authentication required", AUTH, {}, "AUTHENTICATION_REQUIRED"],
  [9, "an empty user id", AUTH, { userId: "" }, "AUTHENTICATION_REQUIRED"],
  [9, "no user, explicitly not required", { requireAuthentication: false }, {}, "allow"],
  [10, "an entitled user", ENTITLED, { ...USER, entitlement: true }, "allow"],
  [10, "a user not entitled", ENTITLED, { ...USER, entitlement: false }, "ENTITLEMENT_REQUIRED"],
  [10, "a user not looked up", ENTITLED, USER, "needs_entitlement"],
  [10, "no user, entitlement required", ENTITLED, {}, "AUTHENTICATION_REQUIRED"],
  [10, "no user, entitlement alone", { requireEntitlement: true }, {}, "ENTITLEMENT_REQUIRED"],
  [
    10,
    "no look-up after a denial",
    { ...ENTITLED, ...VPN },
    { ...USER, vpn: true },
    "VPN_NOT_ALLOWED",
  ],
  [
    11,
    "a stream within the limit",
    LIMITED,
    { ...USER, entitlement: true, hasStream: true },
    "allow",
  ],
  [11, "a stream yet to claim", LIMITED, { ...USER, entitlement: true }, "allow"],
  [
    11,
    "no stream",
    LIMITED,
    { ...USER, entitlement: true, hasStream: false },
    "CONCURRENCY_LIMIT_REACHED",
  ],
  [
    11,
    "no stream, no entitlement",
    LIMITED,
    { ...USER, entitlement: false, hasStream: false },
    "ENTITLEMENT_REQUIRED",
  ],
  [
    11,
    "no stream, the limit alone",
    { enforceConcurrencyLimits: true },
    { ...USER, hasStream: false },
    "allow",
  ],
  [
    11,
    "no stream, the limit with authentication",
    { ...AUTH, enforceConcurrencyLimits: true },
    { ...USER, hasStream: false },
    "allow",
  ],
])("rule %s", (_number, _name, init, viewer, want) => {
  expect(decideInShort(init, viewer)).toBe(want);
});

test.each([
  [undefined, false],
  [false, false],
  [true, true],
] as const)(
  "rule 7: hotlinking binds the playlist URL to the address and denies nobody: %o",
  (state, want) => {
    const init = state === undefined ? {} : { disallowHotlinking: state };
    const got = decide(build(init), {});
    expect(got).toMatchObject({
      kind: "allow",
      bindAddress: want,
      inputs: want ? ["address"] : [],
    });
  },
);

describe("rule 12: DRM is handed on as the ruleset has it", () => {
  test("absent", () => expect(decide(build({}), {})).not.toHaveProperty("drm"));
  test.each([{ enabled: false }, { enabled: true, hwsMinimumQuality: 720, splitKeys: true }])(
    "enabled %o",
    (init) => {
      expect(decide(build({ drm: init }), {})).toHaveProperty("drm", create(DrmSchema, init));
    },
  );
});

test("without a ruleset everyone may play", () => {
  expect(decide(undefined, { vpn: true, referrer: "x" })).toEqual({
    kind: "allow",
    bindAddress: false,
    enforceConcurrency: false,
    rules: [],
    inputs: [],
  });
});
