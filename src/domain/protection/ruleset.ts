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
import { checkField, checkNotNegative } from "../base/field-errors.ts";
import { clip } from "../base/text.ts";
import { compareTimes } from "../base/time.ts";
import { checkCountryCode } from "../content/country-codes.ts";
import type { CheckedMask } from "../validation/field-mask.ts";
import { checkTexts } from "../variables/message-texts.ts";

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
 * `TIME_WINDOW_INVALID`, `KQL_SYNTAX` or `KQL_LIMIT`, with the field's path below `path`.
 */
export function checkRuleset(ruleset: VideoProtectionRuleset, path: string): void {
  checkDependencies(ruleset, path);
  for (const { field, list } of countryLists(ruleset))
    checkCountries(list, `${path}.${field}.country_codes`);
  const { domainRestrictions, applicability, drm } = ruleset;
  if (domainRestrictions.case === "domains")
    checkDomains(domainRestrictions.value, `${path}.domains.domains`);
  if (applicability.case === "target") checkTarget(applicability.value, path);
  if (applicability.case === "filter") {
    checkTexts(ContentFilterSchema, applicability.value, `${path}.filter`);
  }
  checkNotNegative(drm?.hwsMinimumQuality ?? 0, `${path}.drm.hws_minimum_quality`);
}

function checkDependencies(ruleset: VideoProtectionRuleset, path: string): void {
  const { enforceConcurrencyLimits, requireEntitlement, requireAuthentication } = ruleset;
  checkField(
    !requireEntitlement || requireAuthentication === true,
    `${path}.require_entitlement`,
    "RULE_DEPENDENCY",
    "requires require_authentication to be true",
  );
  checkField(
    !enforceConcurrencyLimits || (requireAuthentication === true && requireEntitlement === true),
    `${path}.enforce_concurrency_limits`,
    "RULE_DEPENDENCY",
    "requires require_authentication and require_entitlement to be true",
  );
}

/** Lists the countries of a ruleset by their field. */
function countryLists({
  geoRestrictions,
  geoApplicability,
}: VideoProtectionRuleset): { field: string; list: CountryCodes }[] {
  const lists: { field: string; list: CountryCodes }[] = [];
  for (const { case: name, value } of [geoRestrictions, geoApplicability]) {
    if (name === undefined || name === "allowAllGeographies") continue;
    lists.push({ field: VideoProtectionRulesetSchema.field[name].name, list: value });
  }
  return lists;
}

function checkCountries(list: CountryCodes, field: string): void {
  for (const code of list.countryCodes) checkCountryCode(code, field);
}

function checkDomains({ domains }: Domains, field: string): void {
  for (const domain of domains) {
    const description = `'${clip(domain)}' is not a host name; omit scheme, port and path`;
    checkField(isHostName(domain), field, "DOMAIN_INVALID", description);
  }
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

function checkTarget({ contentStartTime, contentEndTime }: Target, path: string): void {
  const isWindow =
    !contentStartTime || !contentEndTime || compareTimes(contentEndTime, contentStartTime) >= 0;
  const description = "must not be before content_start_time";
  checkField(isWindow, `${path}.target.content_end_time`, "TIME_WINDOW_INVALID", description);
}

/** Converts only ASCII letters: the upper case of "ß" is "SS", which is a country. */
function toUpperCode(text: string): string {
  return /^[A-Za-z]{2}$/.test(text) ? text.toUpperCase() : text;
}

/**
 * Checks that the update mask of a ruleset names at most one member of a oneof. A boolean member that the normalized
 * update does not set is neutral, so the mask may name it with another member (contract: rulesets 5).
 * INVALID_ARGUMENT `ONEOF_CONFLICT`.
 */
export function checkRulesetMask(mask: CheckedMask, update: VideoProtectionRuleset): void {
  const source = reflect(VideoProtectionRulesetSchema, update);
  for (const group of VideoProtectionRulesetSchema.oneofs) {
    const named = group.fields
      .filter((field) => field.fieldKind === "message" || source.isSet(field))
      .filter(({ name }) => mask.includes(name));
    const names = named.map(({ name }) => name).join(" and ");
    const description = `must name at most one field of ${group.name}, not ${names}`;
    checkField(named.length <= 1, "update_mask", "ONEOF_CONFLICT", description);
  }
}
