import { type ContentItemWithVideos, type ContentKind, indexContent } from "./content.ts";
import { appliesTo, type PreparedRulesets } from "./prepare.ts";
import { allowsCountry } from "./rules.ts";

/**
 * Reports whether a list with `exclude_geoblocked` excludes an event or creative work for a viewer in `country`: the
 * deciding ruleset of each of its videos denies the country. Without videos the item itself is evaluated. `country`
 * is in upper case; undefined is unknown, which an allow-list denies. `now` is in Unix milliseconds.
 *
 * Each video is evaluated as if only this item showed it. Other events and creative works with the same video may
 * select another ruleset for its playback.
 */
export function isGeoblocked(
  item: ContentItemWithVideos,
  kind: ContentKind,
  rulesets: PreparedRulesets,
  country: string | undefined,
  now: number,
): boolean {
  // Rulesets after the last one that denies can only allow, and so does the absence of a ruleset.
  const end = rulesets.findLastIndex(({ geo }) => !allowsCountry(geo, country)) + 1;
  if (end === 0) return false;
  const candidates = rulesets.slice(0, end);
  const shown = {
    events: kind === "event" ? [item] : [],
    creativeWorks: kind === "creative_work" ? [item] : [],
  };
  const content = indexContent(shown, rulesets.index.fields);
  const isDenied = (videoId: string | undefined) => {
    const ofVideo = { ...content, videoId };
    const picked = candidates.find((it) => appliesTo(it, ofVideo, country, now));
    return picked !== undefined && !allowsCountry(picked.geo, country);
  };
  return item.videoIds.length === 0 ? isDenied(undefined) : item.videoIds.every(isDenied);
}
