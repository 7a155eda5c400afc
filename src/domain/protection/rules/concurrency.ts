import type { VideoProtectionRuleset } from "../../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { fail, notSet, pass, skip, type Verdict, type Viewer } from "../verdict.ts";

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
