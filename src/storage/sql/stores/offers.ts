import type { VisibilityScope } from "../../contract/content-store.ts";
import type { DocumentPlace } from "../../contract/document-store.ts";
import type { OfferStore } from "../../contract/offers.ts";
import { ConnectedStore } from "../base/connections.ts";
import { findOpeningOffers } from "./opening-offers.ts";
import { listVisible } from "./visible-documents.ts";

/** Maximum number of offers that are searched for a video, in total and at a time. */
const MOST_LOOKED_AT = 1_000;
const STEP = 100;

/** Offers. */
export class SqlOfferStore extends ConnectedStore implements OfferStore {
  async listOpening({
    videoId,
    limit,
    ...scope
  }: VisibilityScope & {
    readonly videoId: string;
    readonly limit: number;
  }): Promise<readonly string[]> {
    const ids: string[] = [];
    let after: DocumentPlace | undefined;
    for (let looked = 0; looked < MOST_LOOKED_AT && ids.length < limit; looked += STEP) {
      const page = await listVisible(this.read, "offer", {
        ...scope,
        limit: STEP,
        ...(after && { after }),
      });
      const video = { projectId: scope.projectId, videoId };
      ids.push(...(await findOpeningOffers(this.read, page.values, video)).map(({ id }) => id));
      after = page.next;
      if (after === undefined) break;
    }
    return ids.slice(0, limit);
  }
}
