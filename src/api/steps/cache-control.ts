import type { AnnouncedKind } from "../../domain/kinds.ts";
import {
  listKeysOf,
  printSurrogateKeys,
  type RequiredValues,
  surrogateKeyOf,
} from "../../domain/surrogate-keys.ts";
import type { ProjectKey } from "../../storage/contract/store.ts";

/** The limits on caching a response of delivery, which handlers set. */
export class Freshness {
  #seconds: number | undefined;
  #isPersonal = false;
  readonly #resources = new Set<string>();
  readonly #listed = new Set<string>();

  /** The longest lifetime of the response, in seconds; undefined: until its project changes. */
  get seconds(): number | undefined {
    return this.#seconds;
  }

  /** True if the response depends on the viewer, so that no cache may store it. */
  get isPersonal(): boolean {
    return this.#isPersonal;
  }

  /** The keys of everything the response was made from, as `Surrogate-Key` has them; empty for none. */
  get surrogateKey(): string {
    return printSurrogateKeys(this.#resources, this.#listed);
  }

  /**
   * Limits how long a response to a public key is served, in seconds, by all caches together: this process, a
   * CDN, and a CDN while it revalidates. For responses that change with the clock and without a write, such as a
   * filter that reads `now`: 30. The smallest of several limits counts.
   */
  limit(seconds: number): void {
    this.#seconds = Math.max(0, Math.floor(Math.min(seconds, this.#seconds ?? seconds)));
  }

  /**
   * Makes the response `private, no-store`, because it depends on the viewer's country or a viewer token. Must be
   * called even if this viewer has neither: the response must not be cached for the next viewer, who may.
   */
  markPersonal(): void {
    this.#isPersonal = true;
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

/** The lifetimes of a response in each cache of a sequence, in seconds. */
export interface FreshnessShares {
  /** In the memory of this process. */
  readonly memory: number;
  /** In a CDN. */
  readonly cdn: number;
  /** In a CDN while it revalidates. */
  readonly stale: number;
}

/** Divides a limit, in seconds, so that a response that passes through all three stays within the limit. */
export function divideFreshness(seconds: number): FreshnessShares {
  const third = Math.floor(seconds / 3);
  return { memory: third, cdn: third, stale: seconds - 2 * third };
}

/** How long a CDN caches an unlimited response, and serves it while it revalidates, in seconds. */
const UNLIMITED = { cdn: 60, stale: 300 };

/** The headers of a response that no cache may store. */
const NOBODY = { "cache-control": "private, no-store" };

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
): Readonly<Record<string, string>> {
  if (!isRead) return NOBODY;
  if (kind !== "public") return { ...NOBODY, ...toKeyHeader(freshness) };
  return freshness.isPersonal ? NOBODY : toPublicHeaders(freshness);
}

function toPublicHeaders(freshness: Freshness): Record<string, string> {
  const { seconds } = freshness;
  const { cdn, stale } = seconds === undefined ? UNLIMITED : divideFreshness(seconds);
  return {
    "cache-control": `public, s-maxage=${cdn}, stale-while-revalidate=${stale}`,
    vary: "Authorization, Accept-Encoding",
    ...toKeyHeader(freshness),
  };
}

function toKeyHeader({ surrogateKey }: Freshness): Record<string, string> {
  return surrogateKey === "" ? {} : { "surrogate-key": surrogateKey };
}
