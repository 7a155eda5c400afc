import { appliesTo, viewContent } from "./applies.ts";
import type { ContentItemWithVideos, ContentKind } from "./content.ts";
import type { PreparedRulesets } from "./prepare.ts";
import { allowsCountry } from "./rules/geo.ts";

/**
 * Tells whether a list with `exclude_geoblocked` leaves an event or creative work out for a viewer
 * in `country` (upper case; undefined: unknown, which an allow-list denies): when for each of its
 * videos the ruleset that decides denies the country. Without videos it is judged by itself. `now`
 * is in Unix milliseconds.
 *
 * A video counts as shown by this item alone; other events and creative works with the same video
 * may bring another ruleset to its playback.
 */
export function isGeoblocked(
  item: ContentItemWithVideos,
  kind: ContentKind,
  rulesets: PreparedRulesets,
  country: string | undefined,
  now: number,
): boolean {
  // What stands behind the last ruleset that denies can only allow, and so can no ruleset at all.
  const end = rulesets.findLastIndex(({ geo }) => !allowsCountry(geo, country)) + 1;
  if (end === 0) return false;
  const candidates = rulesets.slice(0, end);
  const content = viewContent({
    events: kind === "event" ? [item] : [],
    creativeWorks: kind === "creative_work" ? [item] : [],
  });
  const isDenied = (videoId: string | undefined) => {
    const viewed = { ...content, videoId };
    const picked = candidates.find((it) => appliesTo(it, viewed, country, now));
    return picked !== undefined && !allowsCountry(picked.geo, country);
  };
  return item.videoIds.length === 0 ? isDenied(undefined) : item.videoIds.every(isDenied);
}
