import type { VideoProtectionRuleset } from "../../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { fail, notSet, pass, type Verdict, type Viewer } from "../verdict.ts";

/** Decides by whether the viewer is on a VPN (contract: rulesets 6); unknown is allowed. */
export function decideVpn({ disallowVpnUsage }: VideoProtectionRuleset, { vpn }: Viewer): Verdict {
  if (disallowVpnUsage === undefined) return notSet();
  if (!disallowVpnUsage) return pass("VPN usage is explicitly allowed");
  if (vpn === undefined) return pass("it is unknown whether the viewer is on a VPN", "vpn");
  return vpn
    ? fail("VPN_NOT_ALLOWED", "the viewer is on a VPN", "vpn")
    : pass("the viewer is not on a VPN", "vpn");
}
