export type {
  ContentItem,
  ContentItemWithVideos,
  ContentKind,
  VideoContent,
} from "./content.ts";
export {
  type Allowance,
  type Denial,
  decide,
  type NeedsEntitlement,
  type RuleName,
  type RuleResult,
} from "./decide.ts";
export { isGeoblocked } from "./geoblock.ts";
export {
  type LintFacts,
  lintRuleset,
  type RulesetWarning,
  type RulesetWarningCode,
} from "./lint.ts";
export { type PreparedRulesets, prepareRulesets } from "./prepare.ts";
export type { DenialReason, Viewer, ViewerFact } from "./rules.ts";
export {
  listApplicableRulesets,
  pickRuleset,
  selectRulesets,
  type VideoSelection,
  VideoSelector,
} from "./video-selection.ts";
