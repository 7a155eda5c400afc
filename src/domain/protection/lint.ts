import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { isCountryCode } from "../content/country-codes.ts";
import { compareByPrecedence } from "./precedence.ts";
import { allowsCountry, readGeoRestrictions } from "./rules/geo.ts";
import { coversViewers, includesCountry, readViewers } from "./viewers.ts";

/** What a ruleset's author likely did not mean. */
export type RulesetWarningCode =
  | "SHADOWED"
  | "APPLIES_TO_NOTHING"
  | "EMPTY_GEOGRAPHY"
  | "QUALITY_WITHOUT_DRM"
  | "FILTER_MATCHES_NOTHING";

/** A warning about a ruleset that may well be stored; `message` is English, for developers. */
export interface RulesetWarning {
  readonly code: RulesetWarningCode;
  readonly message: string;
}

/** What only storage can say about a ruleset. */
export interface LintFacts {
  /** Whether the filter matches no event and no creative work now. Default false: not looked up. */
  readonly filterMatchesNothing?: boolean;
}

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const COUNTRIES = LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter(
  isCountryCode,
);

/**
 * Lists what is suspicious about a normalized and checked ruleset among all rulesets of its project
 * (itself may be among them, by its id), in the order of {@link RulesetWarningCode}.
 *
 * `SHADOWED`: another one that applies to all, and to the same viewers or more, is always picked
 * before it; several that shadow it only together are not found. `EMPTY_GEOGRAPHY`: no country is
 * left in which it applies and lets viewers play.
 */
export function lintRuleset(
  ruleset: VideoProtectionRuleset,
  rulesets: readonly VideoProtectionRuleset[],
  { filterMatchesNothing = false }: LintFacts = {},
): readonly RulesetWarning[] {
  const found: readonly (readonly [RulesetWarningCode, string | undefined])[] = [
    ["SHADOWED", describeShadow(ruleset, rulesets)],
    ["APPLIES_TO_NOTHING", describeSelection(ruleset)],
    ["EMPTY_GEOGRAPHY", describeGeography(ruleset)],
    ["QUALITY_WITHOUT_DRM", describeDrm(ruleset)],
    [
      "FILTER_MATCHES_NOTHING",
      filterMatchesNothing ? "its filter matches no event and no creative work now" : undefined,
    ],
  ];
  return found.flatMap(([code, message]) => (message === undefined ? [] : [{ code, message }]));
}

function describeShadow(
  ruleset: VideoProtectionRuleset,
  rulesets: readonly VideoProtectionRuleset[],
): string | undefined {
  const viewers = readViewers(ruleset);
  const shadow = rulesets
    .filter((other) => other.id !== ruleset.id && compareByPrecedence(other, ruleset) < 0)
    .toSorted(compareByPrecedence)
    .find(
      (other) =>
        other.applicability.case === "appliesToAll" &&
        other.applicability.value &&
        coversViewers(readViewers(other), viewers),
    );
  if (shadow === undefined) return undefined;
  return `it is never picked: ruleset '${shadow.id}' applies to all videos and comes before it`;
}

function describeSelection({ applicability }: VideoProtectionRuleset): string | undefined {
  switch (applicability.case) {
    case "appliesToAll":
      return applicability.value ? undefined : "it says of no video that it applies";
    case "target": {
      const { videoIds, eventIds, creativeWorkIds, entityIds } = applicability.value;
      const { contentStartTime, contentEndTime } = applicability.value;
      const ids = [videoIds, eventIds, creativeWorkIds, entityIds].flat();
      const isEmpty = ids.length === 0 && !contentStartTime && !contentEndTime;
      return isEmpty ? "its target has neither ids nor a time window" : undefined;
    }
    case "filter": {
      const { filterEvents, filterCreativeWorks } = applicability.value;
      const isEmpty = `${filterEvents}${filterCreativeWorks}`.trim() === "";
      return isEmpty ? "its filter selects neither events nor creative works" : undefined;
    }
    case undefined:
      return "it says of no video that it applies";
    default:
      return applicability satisfies never;
  }
}

function describeGeography(ruleset: VideoProtectionRuleset): string | undefined {
  const viewers = readViewers(ruleset);
  const concerned = COUNTRIES.filter((country) => includesCountry(viewers, country));
  if (concerned.length === 0) return "it applies to viewers in no country";
  const geo = readGeoRestrictions(ruleset);
  if (concerned.some((country) => allowsCountry(geo, country))) return undefined;
  return "it allows none of the countries in which it applies";
}

function describeDrm({ drm }: VideoProtectionRuleset): string | undefined {
  if (drm === undefined || drm.enabled || drm.hwsMinimumQuality === 0) return undefined;
  return "drm.hws_minimum_quality has no effect while drm.enabled is false";
}
