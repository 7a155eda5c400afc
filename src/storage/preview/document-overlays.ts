import { toBinary } from "@bufbuild/protobuf";
import { type Offer, OfferSchema } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import type { BannerCollection } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import type { VideoProtectionRuleset } from "../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { cutPage } from "../../domain/base/cut-page.ts";
import { compareCodePoints } from "../../domain/kql/index.ts";
import type { VisibilityScope } from "../contract/content-store.ts";
import type { DeliveryReads, OfferPage, OfferPlace } from "../contract/store.ts";
import type { VisibleIds } from "../contract/stored-document.ts";
import type { ListPlace } from "../sql/content/plan/clauses.ts";
import { mergeDrafts } from "./merged-list.ts";
import type { DraftedResource, ReleaseStates } from "./release-states.ts";

/** Banner collections as releases leave them. */
export class BannerCollectionOverlay {
  readonly #current: DeliveryReads["bannerCollections"];
  readonly #releases: ReleaseStates;

  constructor(current: DeliveryReads["bannerCollections"], releases: ReleaseStates) {
    this.#current = current;
    this.#releases = releases;
  }

  getMany(key: VisibleIds): Promise<readonly BannerCollection[]> {
    return mergeMany(this.#releases, "banner_collection", key, (current) =>
      this.#current.getMany(current),
    );
  }
}

/** Offers as releases leave them. */
export class OfferOverlay {
  readonly #current: DeliveryReads["offers"];
  readonly #releases: ReleaseStates;

  constructor(current: DeliveryReads["offers"], releases: ReleaseStates) {
    this.#current = current;
    this.#releases = releases;
  }

  getMany(key: VisibleIds): Promise<readonly Offer[]> {
    return mergeMany(this.#releases, "offer", key, (current) => this.#current.getMany(current));
  }

  async list({
    limit,
    after,
    ...scope
  }: VisibilityScope & {
    readonly limit: number;
    readonly after?: OfferPlace;
  }): Promise<OfferPage> {
    const drafted = await this.#releases.find("offer");
    if (drafted.size === 0) return this.#current.list({ limit, ...(after && { after }), ...scope });
    const list = {
      order: { field: "position", direction: "asc" } as const,
      limit: limit + 1,
      after: after && { key: after.position, id: after.id },
      read: async (limit: number, place: ListPlace | undefined) => {
        const start = place && { after: { position: Number(place.key), id: place.id } };
        const { offers, next } = await this.#current.list({ ...scope, limit, ...start });
        return { rows: offers.map(toRow), next: next && { key: next.position, id: next.id } };
      },
      isHidden: ({ id }: OfferRow) => drafted.has(id),
    };
    const drafts = await listDrafts<Offer>(this.#releases, drafted, scope);
    const { rows } = await mergeDrafts<OfferRow>(list, drafts.map(toRow));
    const { shown, last } = cutPage(
      rows,
      limit,
      ({ offer }) => toBinary(OfferSchema, offer).length,
    );
    return {
      offers: shown.map(({ offer }) => offer),
      ...(last && { next: { position: last.offer.position, id: last.id } }),
    };
  }

  /** Lists current offers: playback does not read through releases. */
  listOpening(
    key: Parameters<DeliveryReads["offers"]["listOpening"]>[0],
  ): Promise<readonly string[]> {
    return this.#current.listOpening(key);
  }
}

/** Video protection rulesets as releases leave them. */
export class RulesetOverlay {
  readonly #current: DeliveryReads["rulesets"];
  readonly #releases: ReleaseStates;

  constructor(current: DeliveryReads["rulesets"], releases: ReleaseStates) {
    this.#current = current;
    this.#releases = releases;
  }

  async list(projectId: string): Promise<readonly VideoProtectionRuleset[]> {
    const drafted = await this.#releases.find("ruleset");
    const rulesets = (await this.#current.list(projectId)).filter(({ id }) => !drafted.has(id));
    for await (const { state } of this.#releases.merge(drafted.values())) {
      if (state !== undefined) rulesets.push(state.message as VideoProtectionRuleset);
    }
    return rulesets.sort((a, b) => compareCodePoints(a.id, b.id));
  }
}

/** An offer in a list. */
interface OfferRow extends ListPlace {
  readonly offer: Offer;
}

function toRow(offer: Offer): OfferRow {
  return { key: offer.position, id: offer.id, offer };
}

/** Returns the resources among some ids: the drafts, and the others in their current versions. */
async function mergeMany<T extends BannerCollection | Offer>(
  releases: ReleaseStates,
  kind: "banner_collection" | "offer",
  key: VisibleIds,
  readCurrent: (key: VisibleIds) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const drafted = await releases.find(kind, key.ids);
  const current = await readCurrent({ ...key, ids: key.ids.filter((id) => !drafted.has(id)) });
  return [...current, ...(await listDrafts<T>(releases, drafted, key))];
}

/** Lists the drafts that a scope sees. */
async function listDrafts<T extends BannerCollection | Offer>(
  releases: ReleaseStates,
  drafted: ReadonlyMap<string, DraftedResource>,
  { visibilities }: VisibilityScope,
): Promise<readonly T[]> {
  const drafts: T[] = [];
  for await (const { state } of releases.merge(drafted.values())) {
    const message = state?.message as T | undefined;
    if (message && visibilities.includes(message.visibility)) drafts.push(message);
  }
  return drafts;
}
