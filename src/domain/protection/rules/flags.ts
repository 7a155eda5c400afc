import type { VideoProtectionRuleset } from "../../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { fail, notSet, pass, skip, type Verdict, type Viewer } from "../verdict.ts";

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

/** Passes and states whether the playlist URL is bound to the viewer's address (contract: rulesets 7). */
export function decideHotlinking({ disallowHotlinking }: VideoProtectionRuleset): Verdict {
  if (disallowHotlinking === undefined) return notSet();
  return disallowHotlinking
    ? pass("the playlist URL is bound to the viewer's address", "address")
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
 * Decides by the user's entitlement to the video (contract: rulesets 10). Denies without a user, even if
 * the ruleset violates that rule by not requiring authentication. `isDenied`: an earlier rule denied, so
 * the entitlement is not looked up.
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
    return fail("ENTITLEMENT_REQUIRED", "no user is known to be entitled", "authentication");
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
 * Decides by whether the user got a stream within the limit (contract: rulesets 11); passes until one is
 * claimed. `isDenied`: an earlier rule denied, so that none is claimed.
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
