import type { Offer } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import type { BannerCollection } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import type { Page } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import type { PageComponent } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { ComponentTemplate } from "../../domain/pages/rendering/render-component.ts";
import type { VisibilityScope } from "../../storage/contract/content-store.ts";
import type {
  DeliveryReads,
  PageKey,
  PageVisibilityScope,
  Store,
} from "../../storage/contract/store.ts";
import { RevisionMemo } from "./revision-memo.ts";

/** The stores of what editors put together for pages. */
type Reads = Pick<DeliveryReads, "pages" | "visibleDocuments">;

/** Selects resources by id. */
type Ids = VisibilityScope & { readonly ids: readonly string[] };

/** A page with its components in order. */
export interface PageTemplate {
  readonly page: Page;
  readonly components: readonly ComponentTemplate[];
}

/** The number of reads of each kind that are cached. */
const MOST_READS = 250;

/**
 * The configuration of pages by editors, components as templates; read again after the project has changed. All
 * requests share its messages: they must not be changed.
 */
export class PageConfiguration {
  readonly #reads: Reads;
  readonly #pages: RevisionMemo<PageTemplate>;
  readonly #components: RevisionMemo<readonly ComponentTemplate[]>;
  readonly #bannerCollections: RevisionMemo<readonly BannerCollection[]>;
  readonly #offers: RevisionMemo<readonly Offer[]>;

  constructor(reads: Reads, store: Pick<Store, "knownRevision">) {
    this.#reads = reads;
    this.#pages = new RevisionMemo(store, MOST_READS);
    this.#components = new RevisionMemo(store, MOST_READS);
    this.#bannerCollections = new RevisionMemo(store, MOST_READS);
    this.#offers = new RevisionMemo(store, MOST_READS);
  }

  /** See `PageStore.get`. */
  getPage(key: PageKey): Promise<PageTemplate> {
    return this.#pages.find(key.projectId, JSON.stringify(key), async () => {
      const { page, components } = await this.#reads.pages.get(key);
      return { page, components: toTemplates(components) };
    });
  }

  /** See `PageStore.getComponents`. */
  getComponents(key: Ids & PageVisibilityScope): Promise<readonly ComponentTemplate[]> {
    return readByIds(this.#components, key, async () =>
      toTemplates(await this.#reads.pages.getComponents(key)),
    );
  }

  /** See `VisibleDocumentStore.getMany`. */
  getBannerCollections(key: Ids): Promise<readonly BannerCollection[]> {
    return readByIds(this.#bannerCollections, key, () =>
      this.#reads.visibleDocuments.getMany("banner_collection", key),
    );
  }

  /** See `VisibleDocumentStore.getMany`. */
  getOffers(key: Ids): Promise<readonly Offer[]> {
    return readByIds(this.#offers, key, () => this.#reads.visibleDocuments.getMany("offer", key));
  }
}

/** Reads resources by ids; an empty list for an empty list of ids. */
async function readByIds<T>(
  memo: RevisionMemo<readonly T[]>,
  key: Ids,
  read: () => Promise<readonly T[]>,
): Promise<readonly T[]> {
  return key.ids.length === 0 ? [] : memo.find(key.projectId, JSON.stringify(key), read);
}

function toTemplates(components: readonly PageComponent[]): readonly ComponentTemplate[] {
  return components.map((component) => new ComponentTemplate(component));
}
