/** Why playback is refused; the reason of the error that a player sees. */
export type DenialReason =
  | "GEO_NOT_ALLOWED"
  | "VPN_NOT_ALLOWED"
  | "DOMAIN_NOT_ALLOWED"
  | "AUTHENTICATION_REQUIRED"
  | "ENTITLEMENT_REQUIRED"
  | "CONCURRENCY_LIMIT_REACHED";

/** A fact about the viewer that an answer may depend on. */
export type ViewerFact =
  | "country"
  | "vpn"
  | "address"
  | "referrer"
  | "authentication"
  | "entitlement"
  | "concurrency";

/** Who wants to play. A member that is absent is not known. */
export interface Viewer {
  /** ISO 3166-1 alpha-2 in upper case. */
  readonly country?: string | undefined;
  readonly vpn?: boolean | undefined;
  /** The `Referer` header as it came. Absent or empty: none was sent. */
  readonly referrer?: string | undefined;
  /** The user of a viewer token that was found valid. Absent or empty: not authenticated. */
  readonly userId?: string | undefined;
  /** Whether the user is entitled to the video. Absent: not looked up yet. */
  readonly entitlement?: boolean | undefined;
  /** Whether the user got a stream within the limit. Absent: not claimed yet. */
  readonly hasStream?: boolean | undefined;
}

/**
 * What one rule says. `not_set`: the ruleset is neutral; `skipped`: it could not change the answer
 * or has no effect. `inputs` are the facts it read.
 */
export type Verdict = { readonly detail: string; readonly inputs: readonly ViewerFact[] } & (
  | { readonly outcome: "pass" | "skipped" | "not_set" }
  | { readonly outcome: "fail"; readonly reason: DenialReason }
  | { readonly outcome: "needs_entitlement"; readonly userId: string }
);

/** The verdict of a rule that the ruleset leaves empty (SPEC Create ruleset 6). */
export function notSet(): Verdict {
  return { outcome: "not_set", detail: "not set: neutral", inputs: [] };
}

/** The verdict of a rule that lets the viewer through. */
export function pass(detail: string, ...inputs: readonly ViewerFact[]): Verdict {
  return { outcome: "pass", detail, inputs };
}

/** The verdict of a rule that refuses the viewer. */
export function fail(
  reason: DenialReason,
  detail: string,
  ...inputs: readonly ViewerFact[]
): Verdict {
  return { outcome: "fail", reason, detail, inputs };
}

/** The verdict of a rule that is set and was not asked. */
export function skip(detail: string): Verdict {
  return { outcome: "skipped", detail, inputs: [] };
}
