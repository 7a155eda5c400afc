import type {
  Drm,
  VideoProtectionRuleset,
} from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { includesCountry, readAllowed } from "./audience.ts";

/** The reason of the error that denies playback. */
export type DenialReason =
  | "GEO_NOT_ALLOWED"
  | "VPN_NOT_ALLOWED"
  | "DOMAIN_NOT_ALLOWED"
  | "AUTHENTICATION_REQUIRED"
  | "ENTITLEMENT_REQUIRED"
  | "CONCURRENCY_LIMIT_REACHED";

/** The facts about the viewer that a decision may depend on. */
const VIEWER_FACTS = [
  "country",
  "vpn",
  "address",
  "referrer",
  "authentication",
  "entitlement",
  "concurrency",
] as const;

/** See {@link VIEWER_FACTS}. */
type ViewerFact = (typeof VIEWER_FACTS)[number];

/** The known facts about a viewer; an absent one is unknown. */
export interface Viewer {
  /** ISO 3166-1 alpha-2 in upper case. */
  readonly country?: string | undefined;
  readonly vpn?: boolean | undefined;
  /** The `Referer` header as received; absent or empty if none was sent. */
  readonly referrer?: string | undefined;
  /** The user of a valid viewer token; absent or empty if not authenticated. */
  readonly userId?: string | undefined;
  /** True if the user is entitled to the video; absent: not. */
  readonly entitlement?: boolean | undefined;
  /** True if the user got a stream within the limit; absent if not claimed yet. */
  readonly hasStream?: boolean | undefined;
}

type DecideRule = (ruleset: VideoProtectionRuleset, viewer: Viewer, isDenied: boolean) => Verdict;

/** The rules by their names: the proto name of the field or oneof. */
const RULES = [
  ["geo_restrictions", decideGeo],
  ["disallow_vpn_usage", decideVpn],
  ["disallow_hotlinking", decideHotlinking],
  ["domain_restrictions", decideDomains],
  ["require_authentication", decideAuthentication],
  ["require_entitlement", decideEntitlement],
  ["enforce_concurrency_limits", decideConcurrency],
] as const satisfies readonly (readonly [string, DecideRule])[];

/** The name of a rule. */
export type RuleName = (typeof RULES)[number][0];

/** The result of one rule for the viewer; `detail` is English, for developers. */
export interface RuleResult {
  readonly rule: RuleName;
  readonly outcome: "pass" | "fail" | "skipped" | "not_set";
  readonly detail: string;
}

interface Explanation {
  /** All seven rules in evaluation order; none without a ruleset. */
  readonly rules: readonly RuleResult[];
  /**
   * The facts about the viewer that were read, in the order of {@link ViewerFact}. A country that only excluded other
   * rulesets is not included.
   */
  readonly inputs: readonly ViewerFact[];
}

/** The viewer may play. */
export interface Allowance extends Explanation {
  readonly kind: "allow";
  /** Absent if no ruleset applies. */
  readonly rulesetId?: string;
  /** True if the playlist URL must be bound to the viewer's IP address (contract: rulesets 7). */
  readonly bindAddress: boolean;
  /** True if a stream must be claimed within the user's limit (contract: rulesets 11). */
  readonly enforceConcurrency: boolean;
  /** Absent for no DRM; `enabled` false states that explicitly (contract: rulesets 12). */
  readonly drm?: Drm;
}

/** The viewer may not play; the first rule that fails is named. */
export interface Denial extends Explanation {
  readonly kind: "deny";
  readonly rulesetId: string;
  readonly rule: RuleName;
  readonly reason: DenialReason;
}

/** Whether a viewer may play a video. */
export type Decision = Allowance | Denial;

/** Reports whether a decision denies only because the viewer is not entitled to the video. */
export function lacksEntitlement(decision: Decision): boolean {
  return decision.kind === "deny" && decision.reason === "ENTITLEMENT_REQUIRED";
}

/**
 * Decides whether a viewer may play a video by its ruleset (contract: rulesets 1 to 12); without a ruleset everyone
 * may.
 *
 * All rules that need no lookup are evaluated, also after one that denies, so that the result names every obstacle.
 * Lookups are needed only if no other rule denies:
 *
 * 1. A denial that {@link lacksEntitlement}: look up the entitlement of the user; if there is one, decide again with it.
 * 2. An allowance with `enforceConcurrency`: claim a stream; if none is free, decide again with `hasStream` false for
 *    the denial. A simulation claims no stream.
 *
 * An absent flag is `not_set`; false is a `pass` with a detail that says "explicitly"; true enforces the rule.
 */
export function decide(ruleset: VideoProtectionRuleset | undefined, viewer: Viewer): Decision {
  if (ruleset === undefined) {
    return { kind: "allow", bindAddress: false, enforceConcurrency: false, rules: [], inputs: [] };
  }
  const rules: RuleResult[] = [];
  const read = new Set<ViewerFact>();
  if (ruleset.geoApplicability.case !== undefined) read.add("country");
  let denial: { readonly rule: RuleName; readonly reason: DenialReason } | undefined;
  for (const [rule, decideRule] of RULES) {
    const verdict = decideRule(ruleset, viewer, denial !== undefined);
    const { outcome, detail } = verdict;
    if (outcome === "fail") denial ??= { rule, reason: verdict.reason };
    rules.push({ rule, outcome, detail });
    for (const fact of verdict.inputs) read.add(fact);
  }
  const explanation = { rules, inputs: VIEWER_FACTS.filter((fact) => read.has(fact)) };
  if (denial !== undefined) {
    return { kind: "deny", rulesetId: ruleset.id, ...denial, ...explanation };
  }
  return {
    kind: "allow",
    rulesetId: ruleset.id,
    bindAddress: ruleset.disallowHotlinking ?? false,
    enforceConcurrency: enforcesConcurrency(ruleset),
    ...(ruleset.drm === undefined ? {} : { drm: ruleset.drm }),
    ...explanation,
  };
}

/**
 * The result of one rule. `not_set`: the ruleset does not set it; `skipped`: it has no effect or could not
 * change the decision. `inputs` are the facts it read.
 */
type Verdict = { readonly detail: string; readonly inputs: readonly ViewerFact[] } & (
  | { readonly outcome: "pass" | "skipped" | "not_set" }
  | { readonly outcome: "fail"; readonly reason: DenialReason }
);

/** Creates the verdict of a rule that the ruleset does not set (contract: rulesets 6). */
function notSet(): Verdict {
  return { outcome: "not_set", detail: "not set", inputs: [] };
}

/** Creates the verdict of a rule that allows the viewer. */
function pass(detail: string, ...inputs: readonly ViewerFact[]): Verdict {
  return { outcome: "pass", detail, inputs };
}

/** Creates the verdict of a rule that denies the viewer. */
function fail(reason: DenialReason, detail: string, ...inputs: readonly ViewerFact[]): Verdict {
  return { outcome: "fail", reason, detail, inputs };
}

/** Creates the verdict of a rule that is set but not evaluated. */
function skip(detail: string): Verdict {
  return { outcome: "skipped", detail, inputs: [] };
}

/** Decides by the viewer's country (contract: rulesets 1 and 5). */
function decideGeo(ruleset: VideoProtectionRuleset, { country }: Viewer): Verdict {
  const allowed = readAllowed(ruleset);
  if (allowed.kind === "everybody") {
    const isExplicit = ruleset.geoRestrictions.value === true;
    return isExplicit ? pass("every country is explicitly allowed") : notSet();
  }
  const list = allowed.kind === "only" ? "allowed" : "disallowed";
  const place =
    country === undefined
      ? `the viewer's country is unknown, the list is of ${list} countries`
      : `${country} is ${allowed.countries.has(country) ? "among" : "not among"} the ${list} countries`;
  return includesCountry(allowed, country)
    ? pass(place, "country")
    : fail("GEO_NOT_ALLOWED", place, "country");
}

// The five flags of a ruleset: an absent one is neutral, false explicitly allows (contract: rulesets 6).

/** Decides by whether the viewer is on a VPN (contract: rulesets 6); unknown is allowed. */
function decideVpn({ disallowVpnUsage }: VideoProtectionRuleset, { vpn }: Viewer): Verdict {
  if (disallowVpnUsage === undefined) return notSet();
  if (!disallowVpnUsage) return pass("VPN usage is explicitly allowed");
  if (vpn === undefined) return pass("it is unknown whether the viewer is on a VPN", "vpn");
  return vpn
    ? fail("VPN_NOT_ALLOWED", "the viewer is on a VPN", "vpn")
    : pass("the viewer is not on a VPN", "vpn");
}

/** Passes and states whether the playlist URL is bound to the viewer's IP address (contract: rulesets 7). */
function decideHotlinking({ disallowHotlinking }: VideoProtectionRuleset): Verdict {
  if (disallowHotlinking === undefined) return notSet();
  return disallowHotlinking
    ? pass("the playlist URL is bound to the viewer's IP address", "address")
    : pass("hotlinking is explicitly allowed");
}

/** Decides by the presence of a valid viewer token (contract: rulesets 9). */
function decideAuthentication(
  { requireAuthentication }: VideoProtectionRuleset,
  { userId }: Viewer,
): Verdict {
  if (requireAuthentication === undefined) return notSet();
  if (!requireAuthentication) return pass("authentication is explicitly not required");
  return userId
    ? pass("the viewer is authenticated", "authentication")
    : fail("AUTHENTICATION_REQUIRED", "there is no valid viewer token", "authentication");
}

/**
 * Decides by the user's entitlement to the video (contract: rulesets 10). Denies without a user, even if the ruleset
 * violates that rule by not requiring authentication. With `isDenied`, an earlier rule denied.
 */
function decideEntitlement(
  { requireEntitlement }: VideoProtectionRuleset,
  { userId, entitlement }: Viewer,
  isDenied: boolean,
): Verdict {
  if (requireEntitlement === undefined) return notSet();
  if (!requireEntitlement) return pass("an entitlement is explicitly not required");
  if (isDenied) return skip("an earlier rule denies");
  if (!userId) {
    return fail("ENTITLEMENT_REQUIRED", "the viewer is not signed in", "authentication");
  }
  return entitlement
    ? pass("the user is entitled", "authentication", "entitlement")
    : fail("ENTITLEMENT_REQUIRED", "the user is not entitled", "authentication", "entitlement");
}

/** Reports whether a ruleset limits a user's streams (contract: rulesets 11). */
function enforcesConcurrency(ruleset: VideoProtectionRuleset): boolean {
  const { enforceConcurrencyLimits, requireAuthentication, requireEntitlement } = ruleset;
  return (enforceConcurrencyLimits && requireAuthentication && requireEntitlement) ?? false;
}

/**
 * Decides by whether the user got a stream within the limit (contract: rulesets 11); passes until one is claimed.
 * With `isDenied`, an earlier rule denied, so none is claimed.
 */
function decideConcurrency(
  ruleset: VideoProtectionRuleset,
  { hasStream }: Viewer,
  isDenied: boolean,
): Verdict {
  if (ruleset.enforceConcurrencyLimits === undefined) return notSet();
  if (!ruleset.enforceConcurrencyLimits) return pass("streams are explicitly not limited");
  if (!enforcesConcurrency(ruleset)) {
    return skip("no effect without require_authentication and require_entitlement");
  }
  if (isDenied) return skip("an earlier rule denies");
  const inputs = ["authentication", "concurrency"] as const;
  if (hasStream === undefined) return pass("to be claimed within the user's limit", ...inputs);
  return hasStream
    ? pass("the stream is within the user's limit", ...inputs)
    : fail("CONCURRENCY_LIMIT_REACHED", "the user's streams are all in use", ...inputs);
}

/** The referrer of a page without a URL of its own (RFC 9110 10.1.3). */
const NO_PAGE = "about:blank";

/**
 * Decides by the site in the HTTP referrer (contract: rulesets 2, 5 and 8): a listed domain or a
 * subdomain. Names are compared in lower case and punycode, without port and final dot. A missing referrer
 * is allowed; one that is not an absolute http or https URL is denied.
 */
function decideDomains(
  { domainRestrictions }: VideoProtectionRuleset,
  { referrer = "" }: Viewer,
): Verdict {
  switch (domainRestrictions.case) {
    case "domains":
      return decideByList(domainRestrictions.value.domains, referrer);
    case "allowAllDomains":
      return domainRestrictions.value ? pass("every domain is explicitly allowed") : notSet();
    case undefined:
      return notSet();
    default:
      return domainRestrictions satisfies never;
  }
}

function decideByList(domains: readonly string[], referrer: string): Verdict {
  if (domains.length === 0) return pass("an empty list of domains allows every domain");
  if (referrer === "" || referrer === NO_PAGE) return pass("no referrer was sent", "referrer");
  const host = readHost(referrer);
  if (host === undefined) {
    return fail("DOMAIN_NOT_ALLOWED", "the referrer is not the URL of a site", "referrer");
  }
  const allowed = domains.find((domain) => isAtOrBelow(host, readHost(`http://${domain}`)));
  return allowed === undefined
    ? fail("DOMAIN_NOT_ALLOWED", `${host} is in none of the allowed domains`, "referrer")
    : pass(`${host} is in the allowed domain ${allowed}`, "referrer");
}

function readHost(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined;
  return url.hostname.replace(/\.$/, "");
}

function isAtOrBelow(host: string, domain: string | undefined): boolean {
  return domain !== undefined && (host === domain || host.endsWith(`.${domain}`));
}
