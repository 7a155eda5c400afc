import type { Steps } from "../base/steps.ts";
import { includesCountry } from "./audience.ts";
import { indexItem, type ProtectedItem } from "./content.ts";
import { appliesTo, type PreparedRuleset, type PreparedRulesets } from "./prepare.ts";

/**
 * Reports in steps whether a list with `exclude_geoblocked` excludes an event or creative work for a viewer in `country`: the
 * deciding ruleset of each of its videos denies the country. Without videos the item itself is evaluated. `country`
 * is in upper case; undefined is unknown, which an allow-list denies. `now` is in Unix milliseconds.
 *
 * Each video is evaluated as if only this item showed it. Other events and creative works with the same video may
 * select another ruleset for its playback.
 */
export function* isGeoblocked(
  item: ProtectedItem,
  rulesets: PreparedRulesets,
  country: string | undefined,
  now: number,
): Steps<boolean> {
  // Rulesets after the last one that denies can only allow, and so does the absence of a ruleset.
  const end = rulesets.findLastIndex(({ allowed }) => !includesCountry(allowed, country)) + 1;
  if (end === 0) return false;
  const candidates = rulesets.slice(0, end);
  const indexed = indexItem(item);
  const videoIds = item.videoIds.length === 0 ? [undefined] : item.videoIds;
  for (const videoId of videoIds) {
    let picked: PreparedRuleset | undefined;
    for (const candidate of candidates) {
      if (appliesTo(candidate, { videoId, item: indexed }, country, now)) picked = candidate;
      yield;
      if (picked !== undefined) break;
    }
    if (picked === undefined || includesCountry(picked.allowed, country)) return false;
  }
  return true;
}
