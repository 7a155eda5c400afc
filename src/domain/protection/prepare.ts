import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { compareCodePoints } from "../kql/index.ts";
import { type Audience, includesCountry, readAudience } from "./audience.ts";
import type { ContentKind, IndexedContent } from "./content.ts";
import { type GeoRestrictions, readGeoRestrictions } from "./rules/geo.ts";
import { RulesetIndex } from "./ruleset-index.ts";
import { isSelectableBy, readSelection, type Selection, selects } from "./selection.ts";

/** A ruleset prepared for repeated evaluation. */
export interface PreparedRuleset {
  readonly ruleset: VideoProtectionRuleset;
  readonly viewers: Audience;
  readonly geo: GeoRestrictions;
  readonly selection: Selection;
}

/** The prepared rulesets of a project in precedence order. */
export type PreparedRulesets = readonly PreparedRuleset[] & {
  readonly index: RulesetIndex<PreparedRuleset>;
  /** The number of rulesets that content of each kind may select. */
  readonly selectable: Readonly<Record<ContentKind, number>>;
};

/**
 * Prepares all rulesets of a project, normalized and checked, in any order. Each filter is parsed once;
 * keep the result until a ruleset changes. Throws like `parseKql` for a filter that was never checked.
 */
export function prepareRulesets(rulesets: readonly VideoProtectionRuleset[]): PreparedRulesets {
  const prepared = rulesets.toSorted(compareByPrecedence).map((ruleset) => ({
    ruleset,
    viewers: readAudience(ruleset),
    geo: readGeoRestrictions(ruleset),
    selection: readSelection(ruleset),
  }));
  const countSelectable = (kind: ContentKind) =>
    prepared.filter(({ selection }) => isSelectableBy(selection, kind)).length;
  return Object.assign(prepared, {
    index: new RulesetIndex(prepared),
    selectable: {
      event: countSelectable("event"),
      creative_work: countSelectable("creative_work"),
    },
  });
}

/**
 * Reports whether a ruleset applies to a video for a viewer in `country` (upper case; undefined: unknown):
 * it selects the video and includes the viewer. `now` is in Unix milliseconds. `disabled` is ignored
 * (contract: rulesets 16).
 */
export function appliesTo(
  { viewers, selection }: PreparedRuleset,
  content: IndexedContent,
  country: string | undefined,
  now: number,
): boolean {
  return includesCountry(viewers, country) && selects(selection, content, now);
}

/**
 * Compares rulesets by precedence: the highest priority first, ties by the smallest id in code point order
 * (contract: rulesets 14).
 */
export function compareByPrecedence(
  left: VideoProtectionRuleset,
  right: VideoProtectionRuleset,
): number {
  if (left.priority !== right.priority) return left.priority > right.priority ? -1 : 1;
  return compareCodePoints(left.id, right.id);
}
