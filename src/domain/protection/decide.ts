import type {
  Drm,
  VideoProtectionRuleset,
} from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import {
  type DenialReason,
  decideAuthentication,
  decideConcurrency,
  decideDomains,
  decideEntitlement,
  decideGeo,
  decideHotlinking,
  decideVpn,
  enforcesConcurrency,
  type Verdict,
  VIEWER_FACTS,
  type Viewer,
  type ViewerFact,
} from "./rules.ts";

type DecideRule = (ruleset: VideoProtectionRuleset, viewer: Viewer, isDenied: boolean) => Verdict;

/** The rules by their names: the proto name of the field or oneof. */
const RULES = [
  ["geo_restrictions", decideGeo],
  ["disallow_vpn_usage", decideVpn],
  ["disallow_hotlinking", decideHotlinking],
  ["domain_restrictions", decideDomains],
  ["require_authentication", decideAuthentication],
  ["require_entitlement", decideEntitlement],
  ["enforce_concurrency_limits", decideConcurrency],
] as const satisfies readonly (readonly [string, DecideRule])[];

/** The name of a rule. */
export type RuleName = (typeof RULES)[number][0];

/** The result of one rule for the viewer; `detail` is English, for developers. */
export interface RuleResult {
  readonly rule: RuleName;
  readonly outcome: "pass" | "fail" | "skipped" | "not_set";
  readonly detail: string;
}

interface Explanation {
  /** All seven rules in evaluation order; none without a ruleset. */
  readonly rules: readonly RuleResult[];
  /**
   * The facts about the viewer that were read, in the order of {@link ViewerFact}. A country that only excluded other
   * rulesets is not included.
   */
  readonly inputs: readonly ViewerFact[];
}

/** The viewer may play. */
export interface Allowance extends Explanation {
  readonly kind: "allow";
  /** Absent if no ruleset applies. */
  readonly rulesetId?: string;
  /** True if the playlist URL must be bound to the viewer's IP address (contract: rulesets 7). */
  readonly bindAddress: boolean;
  /** True if a stream must be claimed within the user's limit (contract: rulesets 11). */
  readonly enforceConcurrency: boolean;
  /** Absent for no DRM; `enabled` false states that explicitly (contract: rulesets 12). */
  readonly drm?: Drm;
}

/** The viewer may not play; the first rule that fails is named. */
export interface Denial extends Explanation {
  readonly kind: "deny";
  readonly rulesetId: string;
  readonly rule: RuleName;
  readonly reason: DenialReason;
}

/** The decision depends on the user's entitlement: look it up, then decide again. */
export interface NeedsEntitlement {
  readonly kind: "needs_entitlement";
  readonly userId: string;
}

/**
 * Decides whether a viewer may play a video by its ruleset (contract: rulesets 1 to 12); without a ruleset everyone
 * may.
 *
 * All rules that need no lookup are evaluated, also after one that denies, so that the result names every obstacle.
 * Lookups are needed only if no other rule denies:
 *
 * 1. `needs_entitlement`: decide again with `entitlement` set.
 * 2. An allowance with `enforceConcurrency`: claim a stream; if none is free, decide again with `hasStream` false for
 *    the denial. A simulation claims no stream.
 *
 * An absent flag is `not_set`; false is a `pass` with a detail that says "explicitly"; true enforces the rule.
 */
export function decide(
  ruleset: VideoProtectionRuleset | undefined,
  viewer: Viewer,
): Allowance | Denial | NeedsEntitlement {
  if (ruleset === undefined) {
    return { kind: "allow", bindAddress: false, enforceConcurrency: false, rules: [], inputs: [] };
  }
  const rules: RuleResult[] = [];
  const read = new Set<ViewerFact>();
  if (ruleset.geoApplicability.case !== undefined) read.add("country");
  let denial: { readonly rule: RuleName; readonly reason: DenialReason } | undefined;
  for (const [rule, decideRule] of RULES) {
    const verdict = decideRule(ruleset, viewer, denial !== undefined);
    const { outcome, detail } = verdict;
    if (outcome === "needs_entitlement") return { kind: outcome, userId: verdict.userId };
    if (outcome === "fail") denial ??= { rule, reason: verdict.reason };
    rules.push({ rule, outcome, detail });
    for (const fact of verdict.inputs) read.add(fact);
  }
  const explanation = { rules, inputs: VIEWER_FACTS.filter((fact) => read.has(fact)) };
  if (denial !== undefined) {
    return { kind: "deny", rulesetId: ruleset.id, ...denial, ...explanation };
  }
  return {
    kind: "allow",
    rulesetId: ruleset.id,
    bindAddress: ruleset.disallowHotlinking ?? false,
    enforceConcurrency: enforcesConcurrency(ruleset),
    ...(ruleset.drm === undefined ? {} : { drm: ruleset.drm }),
    ...explanation,
  };
}
