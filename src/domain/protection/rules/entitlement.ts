import type { VideoProtectionRuleset } from "../../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { fail, notSet, pass, skip, type Verdict, type Viewer } from "../verdict.ts";

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
