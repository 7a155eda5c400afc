import { Code, DomainError } from "../../domain/errors.ts";
import type { Denial, DenialReason } from "../../domain/protection/index.ts";

const DENIALS: Readonly<Record<DenialReason, readonly [code: Code, message: string]>> = {
  GEO_NOT_ALLOWED: [Code.PERMISSION_DENIED, "the video does not play in the viewer's country"],
  VPN_NOT_ALLOWED: [Code.PERMISSION_DENIED, "the video does not play over a VPN"],
  DOMAIN_NOT_ALLOWED: [Code.PERMISSION_DENIED, "the video does not play on this site"],
  AUTHENTICATION_REQUIRED: [Code.UNAUTHENTICATED, "the video requires a viewer token"],
  ENTITLEMENT_REQUIRED: [Code.PERMISSION_DENIED, "the viewer is not entitled to the video"],
  CONCURRENCY_LIMIT_REACHED: [
    Code.RESOURCE_EXHAUSTED,
    "the viewer's streams are all in use by other sessions",
  ],
};

/** The facts of a refusal beside its rule. */
export interface DenialFacts {
  /** The error of the viewer token, if it is ignored. */
  readonly tokenFault: DomainError | undefined;
  /** The offers that would entitle to the video, if it requires an entitlement. */
  readonly offerIds?: readonly string[];
  /** The sessions that hold the streams. */
  readonly sessionKeys?: readonly string[];
  /** The seconds until a stream is free, unless it is renewed. */
  readonly retryAfter?: number | undefined;
}

/**
 * Creates the error by which a ruleset refuses playback: the denial's reason, and in its metadata
 * `ruleset_id`, `rule` and, with a comma between several, `offer_ids` of `ENTITLEMENT_REQUIRED` and
 * `session_keys` of `CONCURRENCY_LIMIT_REACHED`. UNAUTHENTICATED for `AUTHENTICATION_REQUIRED`,
 * RESOURCE_EXHAUSTED for `CONCURRENCY_LIMIT_REACHED`, PERMISSION_DENIED for the others.
 *
 * An invalid viewer token is the reason itself if authentication is required; otherwise
 * `ignored_viewer_token_reason` contains it.
 */
export function refusePlayback(
  { reason, rulesetId, rule }: Pick<Denial, "reason" | "rulesetId" | "rule">,
  { tokenFault, offerIds = [], sessionKeys = [], retryAfter }: DenialFacts,
): DomainError {
  const [code, message] = DENIALS[reason];
  const decision = { ruleset_id: rulesetId, rule };
  if (reason === "AUTHENTICATION_REQUIRED" && tokenFault !== undefined) {
    return new DomainError(code, tokenFault.reason, `${message}: ${tokenFault.message}`, {
      metadata: { ...tokenFault.metadata, ...decision },
      cause: tokenFault,
    });
  }
  return new DomainError(code, reason, message, {
    metadata: {
      ...decision,
      ...(offerIds.length > 0 && { offer_ids: offerIds.join(",") }),
      ...(sessionKeys.length > 0 && { session_keys: sessionKeys.join(",") }),
      ...(tokenFault !== undefined && { ignored_viewer_token_reason: tokenFault.reason }),
    },
    ...(retryAfter !== undefined && { retryAfter }),
  });
}
