import { listedVisibilities } from "../../domain/content/visibility.ts";
import type { OfferStore } from "../../storage/delivery-store.ts";
import type { ProjectKey, Store } from "../../storage/store.ts";
import { createRevisionMemo } from "./revision-memo.ts";

/** Finds the ids of up to 20 offers that would entitle to a video, as `ListOffers` shows and orders them. */
export type FindOpeningOffers = (
  key: Pick<ProjectKey, "kind" | "projectId">,
  videoId: string,
) => Promise<readonly string[]>;

/** The maximum number of offers returned. */
const MOST_OFFERS = 20;

/** The number of videos whose offers are cached. */
const MOST_VIDEOS = 10_000;

/** Creates the lookup, which reads the offers of a video again after its project has changed. */
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
