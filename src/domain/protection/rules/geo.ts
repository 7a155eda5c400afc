import type { VideoProtectionRuleset } from "../../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { fail, notSet, pass, type Verdict, type Viewer } from "../verdict.ts";

/** The countries from which playback is allowed. */
export type GeoRestrictions =
  | { readonly kind: "not_set" }
  | { readonly kind: "everywhere" }
  | { readonly kind: "allow"; readonly countries: ReadonlySet<string> }
  | { readonly kind: "disallow"; readonly countries: ReadonlySet<string> };

/** Returns the geo restrictions of a normalized ruleset (contract: rulesets 1 and 5). */
export function readGeoRestrictions(ruleset: VideoProtectionRuleset): GeoRestrictions {
  const { geoRestrictions } = ruleset;
  switch (geoRestrictions.case) {
    case "geoRestrictionsAllow":
      return { kind: "allow", countries: new Set(geoRestrictions.value.countryCodes) };
    case "geoRestrictionsDisallow":
      return { kind: "disallow", countries: new Set(geoRestrictions.value.countryCodes) };
    case "allowAllGeographies":
      return geoRestrictions.value ? { kind: "everywhere" } : { kind: "not_set" };
    case undefined:
      return { kind: "not_set" };
    default:
      return geoRestrictions satisfies never;
  }
}

/**
 * Reports whether viewers in `country` (upper case; undefined: unknown) may play. A list of allowed
 * countries denies an unknown one, a list of disallowed countries allows it.
 */
export function allowsCountry(geo: GeoRestrictions, country: string | undefined): boolean {
  switch (geo.kind) {
    case "not_set":
    case "everywhere":
      return true;
    case "allow":
      return country !== undefined && geo.countries.has(country);
    case "disallow":
      return country === undefined || !geo.countries.has(country);
    default:
      return geo satisfies never;
  }
}

/** Decides by the viewer's country (contract: rulesets 1 and 5). */
export function decideGeo(ruleset: VideoProtectionRuleset, { country }: Viewer): Verdict {
  const geo = readGeoRestrictions(ruleset);
  if (geo.kind === "not_set") return notSet();
  if (geo.kind === "everywhere") return pass("every country is explicitly allowed");
  const list = geo.kind === "allow" ? "allowed" : "disallowed";
  const place =
    country === undefined
      ? `the viewer's country is unknown, the list is of ${list} countries`
      : `${country} is ${geo.countries.has(country) ? "among" : "not among"} the ${list} countries`;
  return allowsCountry(geo, country)
    ? pass(place, "country")
    : fail("GEO_NOT_ALLOWED", place, "country");
}
