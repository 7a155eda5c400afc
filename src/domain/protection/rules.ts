import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
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
export const VIEWER_FACTS = [
  "country",
  "vpn",
  "address",
  "referrer",
  "authentication",
  "entitlement",
  "concurrency",
] as const;

/** See {@link VIEWER_FACTS}. */
export type ViewerFact = (typeof VIEWER_FACTS)[number];

/** The known facts about a viewer; an absent one is unknown. */
export interface Viewer {
  /** ISO 3166-1 alpha-2 in upper case. */
  readonly country?: string | undefined;
  readonly vpn?: boolean | undefined;
  /** The `Referer` header as received; absent or empty if none was sent. */
  readonly referrer?: string | undefined;
  /** The user of a valid viewer token; absent or empty if not authenticated. */
  readonly userId?: string | undefined;
  /** True if the user is entitled to the video; absent if not looked up yet. */
  readonly entitlement?: boolean | undefined;
  /** True if the user got a stream within the limit; absent if not claimed yet. */
  readonly hasStream?: boolean | undefined;
}

/**
 * The result of one rule. `not_set`: the ruleset does not set it; `skipped`: it has no effect or could not
 * change the decision. `inputs` are the facts it read.
 */
export type Verdict = { readonly detail: string; readonly inputs: readonly ViewerFact[] } & (
  | { readonly outcome: "pass" | "skipped" | "not_set" }
  | { readonly outcome: "fail"; readonly reason: DenialReason }
  | { readonly outcome: "needs_entitlement"; readonly userId: string }
);

/** Creates the verdict of a rule that the ruleset does not set (contract: rulesets 6). */
function notSet(): Verdict {
  return { outcome: "not_set", detail: "not set", inputs: [] };
}

/** Creates the verdict of a rule that allows the viewer. */
export function pass(detail: string, ...inputs: readonly ViewerFact[]): Verdict {
  return { outcome: "pass", detail, inputs };
}

/** Creates the verdict of a rule that denies the viewer. */
export function fail(
  reason: DenialReason,
  detail: string,
  ...inputs: readonly ViewerFact[]
): Verdict {
  return { outcome: "fail", reason, detail, inputs };
}

/** Creates the verdict of a rule that is set but not evaluated. */
export function skip(detail: string): Verdict {
  return { outcome: "skipped", detail, inputs: [] };
}

/** Decides by the viewer's country (contract: rulesets 1 and 5). */
export function decideGeo(ruleset: VideoProtectionRuleset, { country }: Viewer): Verdict {
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
export function decideVpn({ disallowVpnUsage }: VideoProtectionRuleset, { vpn }: Viewer): Verdict {
  if (disallowVpnUsage === undefined) return notSet();
  if (!disallowVpnUsage) return pass("VPN usage is explicitly allowed");
  if (vpn === undefined) return pass("it is unknown whether the viewer is on a VPN", "vpn");
  return vpn
    ? fail("VPN_NOT_ALLOWED", "the viewer is on a VPN", "vpn")
    : pass("the viewer is not on a VPN", "vpn");
}

/** Passes and states whether the playlist URL is bound to the viewer's IP address (contract: rulesets 7). */
export function decideHotlinking({ disallowHotlinking }: VideoProtectionRuleset): Verdict {
  if (disallowHotlinking === undefined) return notSet();
  return disallowHotlinking
    ? pass("the playlist URL is bound to the viewer's IP address", "address")
    : pass("hotlinking is explicitly allowed");
}

/** Decides by the presence of a valid viewer token (contract: rulesets 9). */
export function decideAuthentication(
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
 * violates that rule by not requiring authentication. With `isDenied`, an earlier rule denied, so the entitlement is
 * not looked up.
 */
export function decideEntitlement(
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
  if (entitlement === undefined) {
    return { outcome: "needs_entitlement", userId, detail: "not looked up yet", inputs: [] };
  }
  return entitlement
    ? pass("the user is entitled", "authentication", "entitlement")
    : fail("ENTITLEMENT_REQUIRED", "the user is not entitled", "authentication", "entitlement");
}

/** Reports whether a ruleset limits a user's streams (contract: rulesets 11). */
export function enforcesConcurrency(ruleset: VideoProtectionRuleset): boolean {
  const { enforceConcurrencyLimits, requireAuthentication, requireEntitlement } = ruleset;
  return (enforceConcurrencyLimits && requireAuthentication && requireEntitlement) ?? false;
}

/**
 * Decides by whether the user got a stream within the limit (contract: rulesets 11); passes until one is claimed.
 * With `isDenied`, an earlier rule denied, so none is claimed.
 */
export function decideConcurrency(
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
export function decideDomains(
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
