/** The reason of the error that denies playback. */
export type DenialReason =
  | "GEO_NOT_ALLOWED"
  | "VPN_NOT_ALLOWED"
  | "DOMAIN_NOT_ALLOWED"
  | "AUTHENTICATION_REQUIRED"
  | "ENTITLEMENT_REQUIRED"
  | "CONCURRENCY_LIMIT_REACHED";

/** A fact about the viewer on which a decision may depend. */
export type ViewerFact =
  | "country"
  | "vpn"
  | "address"
  | "referrer"
  | "authentication"
  | "entitlement"
  | "concurrency";

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
export function notSet(): Verdict {
  return { outcome: "not_set", detail: "not set: neutral", inputs: [] };
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
