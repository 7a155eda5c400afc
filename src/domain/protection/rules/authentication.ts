import type { VideoProtectionRuleset } from "../../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { fail, notSet, pass, type Verdict, type Viewer } from "../verdict.ts";

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
