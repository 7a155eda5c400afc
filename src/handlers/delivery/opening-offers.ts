import { listedVisibilities } from "../../domain/content/visibility.ts";
import type { OfferStore } from "../../storage/delivery-store.ts";
import type { ProjectKey, Store } from "../../storage/store.ts";
import { createRevisionMemo } from "../revision-memo.ts";

/** Finds the ids of the offers that would open a video, as `ListOffers` shows and orders them: at most 20. */
export type FindOpeningOffers = (
  key: Pick<ProjectKey, "kind" | "projectId">,
  videoId: string,
) => Promise<readonly string[]>;

/** How many offers are named. */
const MOST_OFFERS = 20;

/** How many videos' offers are kept ready. */
const MOST_VIDEOS = 10_000;

/** Creates the search; the offers of a video are looked up anew when its project has changed. */
export function createFindOpeningOffers(
  store: Pick<Store, "knownRevision"> & { readonly offers: Pick<OfferStore, "listOpening"> },
): FindOpeningOffers {
  const memo = createRevisionMemo<readonly string[]>(store, MOST_VIDEOS);
  return ({ projectId, kind }, videoId) =>
    memo.find(projectId, `${kind} ${videoId}`, () =>
      store.offers.listOpening({
        ...{ projectId, videoId, limit: MOST_OFFERS },
        visibilities: listedVisibilities(kind),
      }),
    );
}
