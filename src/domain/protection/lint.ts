import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import type { Warning } from "../base/warnings.ts";
import { isCountryCode } from "../content/country-codes.ts";
import { coversAudience, includesCountry, readAllowed, readAudience } from "./audience.ts";
import { compareByPrecedence } from "./prepare.ts";

const LETTERS = [..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"];
const COUNTRIES = LETTERS.flatMap((first) => LETTERS.map((second) => first + second)).filter(
  isCountryCode,
);

/**
 * Lists the warnings about a normalized and checked ruleset: `SHADOWED`, `APPLIES_TO_NOTHING`, `EMPTY_GEOGRAPHY` and
 * `QUALITY_WITHOUT_DRM`. `rulesets` are all rulesets of its project and may include it.
 * - `SHADOWED`: a ruleset that applies to all videos and to at least the same viewers always takes precedence.
 *   Several that shadow it only together are not detected.
 * - `EMPTY_GEOGRAPHY`: it applies and allows playback in no country.
 */
export function lintRuleset(
  ruleset: VideoProtectionRuleset,
  rulesets: readonly VideoProtectionRuleset[],
): readonly Warning[] {
  const found = {
    SHADOWED: describeShadow(ruleset, rulesets),
    APPLIES_TO_NOTHING: describeSelection(ruleset),
    EMPTY_GEOGRAPHY: describeGeography(ruleset),
    QUALITY_WITHOUT_DRM: describeDrm(ruleset),
  };
  return Object.entries(found).flatMap(([code, message]) => (message ? { code, message } : []));
}

function describeShadow(
  ruleset: VideoProtectionRuleset,
  rulesets: readonly VideoProtectionRuleset[],
): string | undefined {
  const viewers = readAudience(ruleset);
  const shadow = rulesets
    .filter((other) => other.id !== ruleset.id && compareByPrecedence(other, ruleset) < 0)
    .toSorted(compareByPrecedence)
    .find(
      (other) =>
        other.applicability.case === "appliesToAll" &&
        other.applicability.value &&
        coversAudience(readAudience(other), viewers),
    );
  if (shadow === undefined) return undefined;
  return `is never selected: ruleset '${shadow.id}' applies to all videos and takes precedence`;
}

function describeSelection({ applicability }: VideoProtectionRuleset): string | undefined {
  switch (applicability.case) {
    case "appliesToAll":
      return applicability.value ? undefined : "applies to no video";
    case "target": {
      const { videoIds, eventIds, creativeWorkIds, entityIds } = applicability.value;
      const { contentStartTime, contentEndTime } = applicability.value;
      const ids = [videoIds, eventIds, creativeWorkIds, entityIds].flat();
      const isEmpty = ids.length === 0 && !contentStartTime && !contentEndTime;
      return isEmpty ? "the target has neither ids nor a time window" : undefined;
    }
    case "filter": {
      const { filterEvents, filterCreativeWorks } = applicability.value;
      const isEmpty = `${filterEvents}${filterCreativeWorks}`.trim() === "";
      return isEmpty ? "the filter selects neither events nor creative works" : undefined;
    }
    case undefined:
      return "applies to no video";
    default:
      return applicability satisfies never;
  }
}

function describeGeography(ruleset: VideoProtectionRuleset): string | undefined {
  const viewers = readAudience(ruleset);
  const concerned = COUNTRIES.filter((country) => includesCountry(viewers, country));
  if (concerned.length === 0) return "applies to viewers in no country";
  const allowed = readAllowed(ruleset);
  if (concerned.some((country) => includesCountry(allowed, country))) return undefined;
  return "allows none of the countries where it applies";
}

function describeDrm({ drm }: VideoProtectionRuleset): string | undefined {
  if (drm === undefined || drm.enabled || drm.hwsMinimumQuality === 0) return undefined;
  return "drm.hws_minimum_quality has no effect while drm.enabled is false";
}
