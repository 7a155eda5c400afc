import type { VisibilityScope } from "./content-store.ts";

/** Offers. */
export interface OfferStore {
  /**
   * Lists the ids of offers that grant access to a video, or to an event or creative work that shows it. By position,
   * then id, at most `limit`, among the first 1,000 offers of the visibilities and the first 16 MiB of them.
   */
  listOpening(
    scope: VisibilityScope & {
      readonly videoId: string;
      readonly limit: number;
    },
  ): Promise<readonly string[]>;
}
