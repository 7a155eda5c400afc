import type { ContextValues } from "@connectrpc/connect";
import { getPart } from "./context.ts";

/**
 * Limits how long an answer to a public key is shown, in seconds, over all caches together: this
 * process, a CDN, and what a CDN shows while it revalidates. For answers that change with the clock and
 * not by a write, such as a filter that reads `now`: 30. Of several limits the smallest counts.
 */
export function limitFreshness(values: ContextValues, seconds: number): void {
  const freshness = getPart(values, "freshness");
  freshness.seconds = Math.max(0, Math.floor(Math.min(seconds, freshness.seconds ?? seconds)));
}

/**
 * Makes the answer `private, no-store`, because the viewer's country or a viewer token takes part. Must be
 * called whenever the answer depends on such a thing, also if this viewer has none: the answer must not be
 * kept for the next viewer, who has one.
 */
export function markPersonal(values: ContextValues): void {
  getPart(values, "freshness").isPersonal = true;
}

/**
 * Names what took part in an answer, for the `Surrogate-Key` header by which a CDN is purged:
 * collections, `worldcup/events`, and single resources, `worldcup/events/match-1`. A list names its
 * collection too, since a resource that is not on it yet may join it. Keys of several calls add up; ids
 * are given as they are, not encoded.
 */
export function noteResources(values: ContextValues, keys: readonly string[]): void {
  const { resources } = getPart(values, "freshness");
  for (const key of keys) resources.add(key);
}

/** How long each of the caches behind one another may show an answer, in seconds. */
export interface FreshnessShares {
  /** In the memory of this process. */
  readonly memory: number;
  /** In a CDN. */
  readonly cdn: number;
  /** In a CDN while it revalidates. */
  readonly stale: number;
}

/** Divides a limit, in seconds, so that an answer shown by all three in turn is no older than that. */
export function divideFreshness(seconds: number): FreshnessShares {
  const third = Math.floor(seconds / 3);
  return { memory: third, cdn: third, stale: seconds - 2 * third };
}
