import type { ContextValues } from "@connectrpc/connect";
import { getPart } from "./call.ts";

/**
 * Limits how long an answer to a public key is served, in seconds, by all caches together: this process, a
 * CDN, and a CDN while it revalidates. For answers that change with the clock and without a write, such as a
 * filter that reads `now`: 30. The smallest of several limits counts.
 */
export function limitFreshness(values: ContextValues, seconds: number): void {
  const freshness = getPart(values, "freshness");
  freshness.seconds = Math.max(0, Math.floor(Math.min(seconds, freshness.seconds ?? seconds)));
}

/**
 * Makes the answer `private, no-store`, because it depends on the viewer's country or a viewer token. Must be
 * called even if this viewer has neither: the answer must not be cached for the next viewer, who may.
 */
export function markPersonal(values: ContextValues): void {
  getPart(values, "freshness").isPersonal = true;
}

/**
 * Adds the keys of everything an answer was made from to its `Surrogate-Key` header, by which a CDN is
 * purged: collections, `worldcup/events`, and single resources, `worldcup/events/match-1`. A list adds its
 * collection too, since new resources may join it. Keys of several calls accumulate; ids are not encoded.
 */
export function noteResources(values: ContextValues, keys: readonly string[]): void {
  const { resources } = getPart(values, "freshness");
  for (const key of keys) resources.add(key);
}

/** The times for which each cache of a sequence may serve an answer, in seconds. */
export interface FreshnessShares {
  /** In the memory of this process. */
  readonly memory: number;
  /** In a CDN. */
  readonly cdn: number;
  /** In a CDN while it revalidates. */
  readonly stale: number;
}

/** Divides a limit, in seconds, so that an answer served by all three in turn is no older than the limit. */
export function divideFreshness(seconds: number): FreshnessShares {
  const third = Math.floor(seconds / 3);
  return { memory: third, cdn: third, stale: seconds - 2 * third };
}
