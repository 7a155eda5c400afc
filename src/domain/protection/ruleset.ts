import { clone } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import {
  ContentFilterSchema,
  type CountryCodes,
  type Domains,
  type Target,
  type VideoProtectionRuleset,
  VideoProtectionRulesetSchema,
} from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { isCountryCode } from "../content/country-codes.ts";
import { invalidField } from "../errors.ts";
import { clip } from "../text.ts";
import { compareTimes } from "../time.ts";
import { isSettable } from "../validation/field-behavior.ts";
import {
  applyMask,
  type CheckedMask,
  checkMask,
  updatableFields,
} from "../validation/field-mask.ts";
import { checkTexts } from "../variables/check-texts.ts";

/** The field of a ruleset in the request that creates it. */
const PATH = "video_protection_ruleset";

/**
 * Returns a ruleset in its stored form: a boolean member of a oneof that is false is cleared (contract:
 * rulesets 5), country codes are in upper case. The five tri-state flags are kept (rule 6).
 */
export function normalizeRuleset(ruleset: VideoProtectionRuleset): VideoProtectionRuleset {
  const result = clone(VideoProtectionRulesetSchema, ruleset);
  const view = reflect(VideoProtectionRulesetSchema, result);
  for (const group of VideoProtectionRulesetSchema.oneofs) {
    const member = view.oneofCase(group);
    if (member !== undefined && view.get(member) === false) view.clear(member);
  }
  for (const { list } of countryLists(result)) {
    list.countryCodes = list.countryCodes.map(toUpperCode);
  }
  return result;
}

/**
 * Checks a normalized ruleset (contract: rulesets 10, 11 and 13). INVALID_ARGUMENT
 * `RULE_DEPENDENCY`, `COUNTRY_CODE_INVALID`, `DOMAIN_INVALID`, `VALUE_OUT_OF_RANGE`,
 * `TIME_WINDOW_INVALID`, `KQL_SYNTAX` or `KQL_LIMIT`, with the field's path in the request.
 */
export function checkRuleset(ruleset: VideoProtectionRuleset): void {
  checkDependencies(ruleset);
  for (const { field, list } of countryLists(ruleset)) checkCountries(list, field);
  const { domainRestrictions, applicability, drm } = ruleset;
  if (domainRestrictions.case === "domains") checkDomains(domainRestrictions.value);
  if (applicability.case === "target") checkTarget(applicability.value);
  if (applicability.case === "filter") {
    checkTexts(ContentFilterSchema, applicability.value, `${PATH}.filter`);
  }
  if (drm !== undefined && drm.hwsMinimumQuality < 0) {
    throw invalidField(
      `${PATH}.drm.hws_minimum_quality`,
      "VALUE_OUT_OF_RANGE",
      "must not be negative",
    );
  }
}

function checkDependencies(ruleset: VideoProtectionRuleset): void {
  if (ruleset.requireEntitlement && !ruleset.requireAuthentication) {
    throw invalidField(
      `${PATH}.require_entitlement`,
      "RULE_DEPENDENCY",
      "requires require_authentication to be true",
    );
  }
  if (
    ruleset.enforceConcurrencyLimits &&
    !(ruleset.requireAuthentication && ruleset.requireEntitlement)
  ) {
    throw invalidField(
      `${PATH}.enforce_concurrency_limits`,
      "RULE_DEPENDENCY",
      "requires require_authentication and require_entitlement to be true",
    );
  }
}

function countryLists(ruleset: VideoProtectionRuleset): { field: string; list: CountryCodes }[] {
  const lists: { field: string; list: CountryCodes }[] = [];
  const { geoRestrictions, geoApplicability } = ruleset;
  if (geoRestrictions.case === "geoRestrictionsAllow") {
    lists.push({ field: "geo_restrictions_allow", list: geoRestrictions.value });
  }
  if (geoRestrictions.case === "geoRestrictionsDisallow") {
    lists.push({ field: "geo_restrictions_disallow", list: geoRestrictions.value });
  }
  if (geoApplicability.case === "geoApplicabilityApply") {
    lists.push({ field: "geo_applicability_apply", list: geoApplicability.value });
  }
  if (geoApplicability.case === "geoApplicabilityExempt") {
    lists.push({ field: "geo_applicability_exempt", list: geoApplicability.value });
  }
  return lists;
}

function checkCountries(list: CountryCodes, field: string): void {
  const unknown = list.countryCodes.find((code) => !isCountryCode(code));
  if (unknown === undefined) return;
  throw invalidField(
    `${PATH}.${field}.country_codes`,
    "COUNTRY_CODE_INVALID",
    `'${clip(unknown)}' is not an ISO 3166-1 alpha-2 code`,
  );
}

function checkDomains({ domains }: Domains): void {
  const wrong = domains.find((domain) => !isHostName(domain));
  if (wrong === undefined) return;
  throw invalidField(
    `${PATH}.domains.domains`,
    "DOMAIN_INVALID",
    `'${clip(wrong)}' is not a host name; omit scheme, port and path`,
  );
}

/**
 * Reports whether a text is a host name: labels of letters (also international), digits and inner hyphens,
 * at most 63 characters each and 253 in total.
 */
export function isHostName(text: string): boolean {
  return text.length <= 253 && text.split(".").every(isLabel);
}

function isLabel(label: string): boolean {
  return (
    /^[\p{L}\p{N}\p{M}-]{1,63}$/u.test(label) && !label.startsWith("-") && !label.endsWith("-")
  );
}

function checkTarget({ contentStartTime, contentEndTime }: Target): void {
  if (contentStartTime && contentEndTime && compareTimes(contentEndTime, contentStartTime) < 0) {
    throw invalidField(
      `${PATH}.target.content_end_time`,
      "TIME_WINDOW_INVALID",
      "must not be before content_start_time",
    );
  }
}

/** Converts only ASCII letters: the upper case of "ß" is "SS", which is a country. */
function toUpperCode(text: string): string {
  return /^[A-Za-z]{2}$/.test(text) ? text.toUpperCase() : text;
}

/** The fields that an update mask of a ruleset may name. */
export const RULESET_UPDATABLE = updatableFields(VideoProtectionRulesetSchema, isSettable);

/**
 * Checks the update mask of a ruleset: allowed names, and at most one member of a oneof. A boolean member
 * that the normalized update does not set is neutral, so the mask may name it beside another member
 * (contract: rulesets 5). INVALID_ARGUMENT `UPDATE_MASK_INVALID` or `ONEOF_CONFLICT`.
 */
export function checkRulesetMask(
  paths: readonly string[],
  update: VideoProtectionRuleset,
): CheckedMask {
  const mask = checkMask(paths, RULESET_UPDATABLE);
  const source = reflect(VideoProtectionRulesetSchema, update);
  for (const group of VideoProtectionRulesetSchema.oneofs) {
    const named = group.fields
      .filter((field) => field.fieldKind === "message" || source.isSet(field))
      .filter(({ name }) => mask.includes(name));
    if (named.length <= 1) continue;
    throw invalidField(
      "update_mask",
      "ONEOF_CONFLICT",
      `must name at most one field of ${group.name}, not ${named.map(({ name }) => name).join(" and ")}`,
    );
  }
  return mask;
}

/**
 * Applies a normalized update to a ruleset and checks the result. A member of a oneof that the update sets
 * replaces the stored one; a member without a value clears only itself. INVALID_ARGUMENT as
 * `checkRuleset`, or `FIELD_REQUIRED`.
 */
export function updateRuleset(
  current: VideoProtectionRuleset,
  update: VideoProtectionRuleset,
  mask: CheckedMask,
): VideoProtectionRuleset {
  const changed = applyMask(VideoProtectionRulesetSchema, current, update, mask);
  if (changed.name === "") {
    throw invalidField("video_protection_ruleset.name", "FIELD_REQUIRED", "is required");
  }
  checkRuleset(changed);
  return changed;
}
