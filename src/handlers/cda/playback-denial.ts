import { Code, DomainError } from "../../domain/errors.ts";
import type { Denial, DenialReason } from "../../domain/protection/index.ts";

const DENIALS: Readonly<Record<DenialReason, readonly [code: Code, message: string]>> = {
  GEO_NOT_ALLOWED: [Code.PERMISSION_DENIED, "the video does not play in the viewer's country"],
  VPN_NOT_ALLOWED: [Code.PERMISSION_DENIED, "the video does not play over a VPN"],
  DOMAIN_NOT_ALLOWED: [Code.PERMISSION_DENIED, "the video does not play on this site"],
  AUTHENTICATION_REQUIRED: [Code.UNAUTHENTICATED, "the video plays with a viewer token only"],
  ENTITLEMENT_REQUIRED: [Code.PERMISSION_DENIED, "the viewer is not entitled to the video"],
  CONCURRENCY_LIMIT_REACHED: [
    Code.RESOURCE_EXHAUSTED,
    "the viewer's streams are all in use by other sessions",
  ],
};

/**
 * Creates the error by which a ruleset refuses playback: the denial's reason, and in its metadata
 * `ruleset_id`, `rule` and, where sessions hold all streams, `session_keys`, a comma between them.
 * UNAUTHENTICATED for `AUTHENTICATION_REQUIRED`, RESOURCE_EXHAUSTED for `CONCURRENCY_LIMIT_REACHED`,
 * PERMISSION_DENIED for the others.
 */
export function refusePlayback(
  { reason, rulesetId, rule }: Pick<Denial, "reason" | "rulesetId" | "rule">,
  sessionKeys: readonly string[],
): DomainError {
  const [code, message] = DENIALS[reason];
  return new DomainError(code, reason, message, {
    metadata: {
      ruleset_id: rulesetId,
      rule,
      ...(sessionKeys.length > 0 && { session_keys: sessionKeys.join(",") }),
    },
  });
}
