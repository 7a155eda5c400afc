import type { VideoProtectionRuleset } from "../../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { notSet, pass, type Verdict } from "../verdict.ts";

/** Passes and states whether the playlist URL is bound to the viewer's address (contract: rulesets 7). */
export function decideHotlinking({ disallowHotlinking }: VideoProtectionRuleset): Verdict {
  if (disallowHotlinking === undefined) return notSet();
  return disallowHotlinking
    ? pass("the playlist URL is bound to the viewer's address", "address")
    : pass("hotlinking is explicitly allowed");
}
