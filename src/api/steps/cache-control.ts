import type { AnnouncedKind } from "../../domain/kinds.ts";
import {
  listKeysOf,
  printSurrogateKeys,
  type RequiredValues,
  surrogateKeyOf,
} from "../../domain/surrogate-keys.ts";
import type { ProjectKey } from "../../storage/contract/access.ts";

/** The limits on caching a response of delivery, which handlers set. */
export class Freshness {
  /** The time until which the response is true, in milliseconds since 1970; undefined: until its project changes. */
  until: number | undefined;
  /** True if the response depends on the viewer, so that no cache may store it. */
  isPersonal = false;
  readonly #resources = new Set<string>();
  readonly #listed = new Set<string>();

  /** The keys of everything the response was made from, as `Surrogate-Key` has them; empty for none. */
  get surrogateKey(): string {
    return printSurrogateKeys(this.#resources, this.#listed);
  }

  /**
   * Limits how long a response to a public key is served, by all caches together: this process, a CDN, and a CDN while
   * it revalidates. `until` is in milliseconds since 1970. For responses that change with the clock and without a write,
   * such as a filter that reads `now`: 30 seconds from the call. The earliest of several limits counts.
   */
  limitUntil(until: number): void {
    this.until = Math.min(until, this.until ?? until);
  }

  /** Limits a response that may have ended early for lack of time: with more of it, the next one gets further. */
  endEarly(now: Date): void {
    this.limitUntil(now.getTime() + EARLY_END_SECONDS * 1_000);
  }

  /**
   * Makes the response `private, no-store`, because it depends on the viewer's country or a viewer token. Must be
   * called even if this viewer has neither: the response must not be cached for the next viewer, who may.
   */
  markPersonal(): void {
    this.isPersonal = true;
  }

  /**
   * Adds the keys of everything a response was made from to its `Surrogate-Key` header. Use these keys to purge a CDN:
   * collections, `worldcup/events`, and single resources, `worldcup/events/match-1`. Ids are not encoded.
   */
  addResources(keys: Iterable<string>): void {
    for (const key of keys) this.#resources.add(key);
  }

  /**
   * Adds the keys of listed resources, and the key of their collection, since new resources may join it. If all
   * resources of the list have one of a few values, the keys of these values stand for the collection.
   */
  addList(
    kind: AnnouncedKind,
    projectId: string,
    resources: readonly { readonly id: string }[],
    required?: RequiredValues,
  ): void {
    this.addResources(listKeysOf(kind, projectId, required));
    for (const { id } of resources) this.#listed.add(surrogateKeyOf(kind, projectId, id));
  }
}

/** How long a response is served that may have ended early. */
const EARLY_END_SECONDS = 5;

/** The longest time that a CDN caches a response, and serves it while it revalidates, in seconds. */
const LONGEST = { cdn: 60, stale: 300 };

/**
 * Returns `Cache-Control` of a public response that is sent at a time and true until another, both in milliseconds
 * since 1970; undefined: until its project changes. A CDN has dropped the response at the end, to the second.
 */
export function printPublicLifetime(
  until: number | undefined,
  now: number,
  longest = LONGEST,
): string {
  const left = until === undefined ? Number.POSITIVE_INFINITY : (until - now) / 1_000;
  const seconds = left > 0 ? Math.max(1, Math.floor(left)) : 0;
  const cdn = Math.min(longest.cdn, seconds);
  const stale = Math.min(longest.stale, seconds - cdn);
  return `public, s-maxage=${cdn}, stale-while-revalidate=${stale}`;
}

/** The headers of a response that no cache may store. */
export const NOBODY = { "cache-control": "private, no-store" };

/** The headers of a Studio API response: the account's own client may cache it, and must revalidate. */
export const STUDIO_CACHE_HEADERS = { "cache-control": "private, no-cache" };

/**
 * Decides which caches may store a response of the Delivery API (contract: delivery 7). A read with only a public key:
 * any cache, for as long as the handler allows. A read with a preview key or personal data of the viewer, and any other
 * call: no cache. A read with a preview key still shows its surrogate keys.
 */
export function toDeliveryCacheHeaders(
  { kind }: ProjectKey,
  isRead: boolean,
  freshness: Freshness,
  now: Date,
): Readonly<Record<string, string>> {
  if (!isRead) return NOBODY;
  if (kind !== "public") return { ...NOBODY, ...toKeyHeader(freshness) };
  return freshness.isPersonal ? NOBODY : toPublicHeaders(freshness, now);
}

function toPublicHeaders(freshness: Freshness, now: Date): Record<string, string> {
  return {
    "cache-control": printPublicLifetime(freshness.until, now.getTime()),
    vary: "Authorization, Accept-Encoding",
    ...toKeyHeader(freshness),
  };
}

function toKeyHeader({ surrogateKey }: Freshness): Record<string, string> {
  return surrogateKey === "" ? {} : { "surrogate-key": surrogateKey };
}
