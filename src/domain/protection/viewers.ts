import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";

/**
 * The viewers that a ruleset concerns, by country. A viewer whose country is unknown is among
 * `everybody` and `all_but`, and not among `only`.
 */
export type Viewers =
  | { readonly kind: "everybody" }
  | { readonly kind: "only"; readonly countries: ReadonlySet<string> }
  | { readonly kind: "all_but"; readonly countries: ReadonlySet<string> };

/** Reads whom a normalized ruleset concerns (SPEC Create ruleset 3). */
export function readViewers({ geoApplicability }: VideoProtectionRuleset): Viewers {
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

/** Tells whether a viewer in `country` (upper case; undefined: unknown) is one of them. */
export function includesCountry(viewers: Viewers, country: string | undefined): boolean {
  switch (viewers.kind) {
    case "everybody":
      return true;
    case "only":
      return country !== undefined && viewers.countries.has(country);
    case "all_but":
      return country === undefined || !viewers.countries.has(country);
    default:
      return viewers satisfies never;
  }
}

/** Tells whether each `inner` viewer, one of unknown country too, is among the `outer`. */
export function coversViewers(outer: Viewers, inner: Viewers): boolean {
  if (outer.kind === "everybody") return true;
  if (inner.kind === "only") {
    return [...inner.countries].every((country) => includesCountry(outer, country));
  }
  if (outer.kind === "only") return false;
  return [...outer.countries].every((country) => !includesCountry(inner, country));
}
