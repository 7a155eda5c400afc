import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";

/**
 * Viewers by country. Unknown countries are included in `everybody` and `all_but`, and not in `only`.
 */
export type Audience =
  | { readonly kind: "everybody" }
  | { readonly kind: "only" | "all_but"; readonly countries: ReadonlySet<string> };

/** Returns the viewers to whom a normalized ruleset applies (contract: rulesets 3). */
export function readAudience({ geoApplicability }: VideoProtectionRuleset): Audience {
  switch (geoApplicability.case) {
    case "geoApplicabilityApply":
      return { kind: "only", countries: new Set(geoApplicability.value.countryCodes) };
    case "geoApplicabilityExempt":
      return { kind: "all_but", countries: new Set(geoApplicability.value.countryCodes) };
    case undefined:
      return { kind: "everybody" };
    default:
      return geoApplicability satisfies never;
  }
}

/** Returns the viewers whose countries a normalized ruleset allows (contract: rulesets 1 and 5). */
export function readAllowed({ geoRestrictions }: VideoProtectionRuleset): Audience {
  switch (geoRestrictions.case) {
    case "geoRestrictionsAllow":
      return { kind: "only", countries: new Set(geoRestrictions.value.countryCodes) };
    case "geoRestrictionsDisallow":
      return { kind: "all_but", countries: new Set(geoRestrictions.value.countryCodes) };
    case "allowAllGeographies":
    case undefined:
      return { kind: "everybody" };
    default:
      return geoRestrictions satisfies never;
  }
}

/** Reports whether `viewers` include one in `country` (upper case; undefined: unknown). */
export function includesCountry(viewers: Audience, country: string | undefined): boolean {
  if (viewers.kind === "everybody") return true;
  const isListed = country !== undefined && viewers.countries.has(country);
  return viewers.kind === "only" ? isListed : !isListed;
}

/** Reports whether `outer` includes all `inner` viewers, also viewers of unknown country. */
export function coversAudience(outer: Audience, inner: Audience): boolean {
  if (outer.kind === "everybody") return true;
  if (inner.kind === "only") {
    return [...inner.countries].every((country) => includesCountry(outer, country));
  }
  if (outer.kind === "only") return false;
  return [...outer.countries].every((country) => !includesCountry(inner, country));
}
