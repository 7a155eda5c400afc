import type { Offer } from "../../../gen/svc/cda/monetization/offer/v1/offer_pb.ts";
import type { BannerCollection } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import type { Page } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import type { PageComponent } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type { WorkBudget } from "../../domain/base/work-budget.ts";
import { ComponentTemplate } from "../../domain/pages/rendering/render-component.ts";
import type { VisibilityScope } from "../../storage/contract/content-store.ts";
import type { PageKey, PageVisibilityScope } from "../../storage/contract/pages.ts";
import type { DeliveryReads, Store } from "../../storage/contract/store.ts";
import { estimateHeap, ScopeMemo } from "./revision-memo.ts";

/** The stores of what editors put together for pages. */
type Reads = Pick<DeliveryReads, "pages" | "visibleDocuments">;

/** Selects resources by id. */
type Ids = VisibilityScope & { readonly ids: readonly string[] };

/** A page with its components in order. */
export interface PageTemplate {
  readonly page: Page;
  readonly components: readonly ComponentTemplate[];
}

/** The bytes of the heap that cached pages take, and other reads of each kind. */
const MOST_BYTES = { pages: 64 * 1024 * 1024, others: 32 * 1024 * 1024 };

/** The bytes of the heap that a resource takes with its templates, its JSON and so on, for each byte of its message. */
const RENDERED = 4;

/**
 * The configuration of pages by editors, components as templates; read again after the project has changed, or a window
 * has started or ended. All requests share its messages: they must not be changed.
 */
export class PageConfiguration {
  readonly #reads: Reads;
  readonly #pages: ScopeMemo<PageTemplate>;
  readonly #components: ScopeMemo<readonly ComponentTemplate[]>;
  readonly #bannerCollections: ScopeMemo<readonly BannerCollection[]>;
  readonly #offers: ScopeMemo<readonly Offer[]>;

  constructor(reads: Reads, store: Pick<Store, "knownRevision">) {
    this.#reads = reads;
    const { pages, others } = MOST_BYTES;
    const sizeOf = (value: unknown) => RENDERED * estimateHeap(value, pages / RENDERED);
    this.#pages = new ScopeMemo<PageTemplate>(store, pages, sizeOf);
    this.#components = new ScopeMemo<readonly ComponentTemplate[]>(store, others, sizeOf);
    this.#bannerCollections = new ScopeMemo<readonly BannerCollection[]>(store, others, sizeOf);
    this.#offers = new ScopeMemo<readonly Offer[]>(store, others, sizeOf);
  }

  /** See `PageStore.get`. */
  getPage(key: PageKey, budget: WorkBudget): Promise<PageTemplate> {
    return this.#pages.find(key, async (scope) => {
      const { page, components } = await this.#reads.pages.get(scope, budget);
      return { page, components: toTemplates(components) };
    });
  }

  /** See `PageStore.getComponents`. */
  getComponents(key: Ids & PageVisibilityScope): Promise<readonly ComponentTemplate[]> {
    return readByIds(this.#components, key, async (scope) =>
      toTemplates(await this.#reads.pages.getComponents(scope)),
    );
  }

  /** See `VisibleDocumentStore.getMany`. */
  getBannerCollections(key: Ids): Promise<readonly BannerCollection[]> {
    return readByIds(this.#bannerCollections, key, (scope) =>
      this.#reads.visibleDocuments.getMany("banner_collection", scope),
    );
  }

  /** See `VisibleDocumentStore.getMany`. */
  getOffers(key: Ids): Promise<readonly Offer[]> {
    return readByIds(this.#offers, key, (scope) =>
      this.#reads.visibleDocuments.getMany("offer", scope),
    );
  }
}

/** Reads resources by ids; an empty list for an empty list of ids. */
async function readByIds<T, Scope extends Ids>(
  memo: ScopeMemo<readonly T[]>,
  key: Scope,
  read: (scope: Scope) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  return key.ids.length === 0 ? [] : memo.find(key, read);
}

function toTemplates(components: readonly PageComponent[]): readonly ComponentTemplate[] {
  return components.map((component) => new ComponentTemplate(component));
}
